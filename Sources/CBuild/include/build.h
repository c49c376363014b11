#pragma once

// The commit that was built; empty if it is unknown.
const char *tactus_commit(void);
