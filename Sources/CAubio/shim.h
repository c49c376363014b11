#pragma once
// Only the part that detects onsets: <aubio/aubio.h> declares much that Tactus does not use.
#include <aubio/types.h>
#include <aubio/fvec.h>
#include <aubio/onset/onset.h>
