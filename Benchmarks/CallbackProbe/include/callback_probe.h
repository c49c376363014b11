#pragma once
// Nothing to call: the library is loaded before a JACK client's own (LD_PRELOAD) and stands between it and libjack.
