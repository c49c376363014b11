#pragma once
// The library has no functions to call: LD_PRELOAD loads it between a JACK client and libjack.
