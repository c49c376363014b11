import CJack
import Foundation

/// A JACK client with one port and an empty process callback, until it is interrupted.
func runEmptyClient() -> Never {
  var status = jack_status_t(0)
  guard let client = tactus_jack_client_open("empty", JackNoStartServer, &status, nil) else { exit(1) }
  jack_set_process_callback(client, { _, _ in 0 }, nil)
  jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsOutput.rawValue), 0)
  jack_activate(client)
  while true { pause() }
}
