#pragma once
#include <lo/lo.h>

// A GNU extension, which Swift's glibc module omits.
extern int dup3(int from, int onto, int flags);
