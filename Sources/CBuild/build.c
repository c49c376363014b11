#include "build.h"

#ifndef TACTUS_COMMIT
#define TACTUS_COMMIT
#endif
#define TEXT_OF(commit) #commit
#define TEXT(commit) TEXT_OF(commit)

const char *tactus_commit(void) { return TEXT(TACTUS_COMMIT); }
