import CJack

/// The functions of libjack that a host, its client and its callbacks call. `system` is libjack; a simulation provides its own
/// functions.
///
/// All are C functions, so that the process callback can call them without a context, a reference count or an allocation. Each
/// does the same as its initial value, a function of libjack.
package struct JACKLibrary: @unchecked Sendable {
  // `@unchecked`: constant function pointers, set before the first client is opened.

  package typealias Client = OpaquePointer
  package typealias Port = OpaquePointer
  package typealias Text = UnsafePointer<CChar>
  package typealias TextList = UnsafeMutablePointer<UnsafePointer<CChar>?>
  package typealias Argument = UnsafeMutableRawPointer

  /// The libjack with which the program is linked: JACK's or PipeWire's.
  package static var system: JACKLibrary { JACKLibrary() }

  /// Keeps libjack from writing to the terminal: Tactus reports errors itself. libjack may call these functions from any thread,
  /// so they do nothing.
  static func silence() {
    jack_set_error_function { _ in }
    jack_set_info_function { _ in }
  }

  // MARK: Clients

  package var openClient:
    @convention(c) (Text?, JackOptions, UnsafeMutablePointer<JackStatus>?, Text?) -> Client? =
      tactus_jack_client_open
  /// Sets the function that creates the library's threads.
  package var setThreadCreator: @convention(c) (jack_thread_creator_t?) -> Void = {
    jack_set_thread_creator($0)
  }
  package var closeClient: @convention(c) (Client?) -> Int32 = jack_client_close
  package var clientName: @convention(c) (Client?) -> UnsafeMutablePointer<CChar>? = jack_get_client_name
  package var activate: @convention(c) (Client?) -> Int32 = jack_activate
  package var deactivate: @convention(c) (Client?) -> Int32 = jack_deactivate
  package var version: @convention(c) () -> Text? = jack_get_version_string
  package var sampleRate: @convention(c) (Client?) -> jack_nframes_t = jack_get_sample_rate
  package var bufferSize: @convention(c) (Client?) -> jack_nframes_t = jack_get_buffer_size
  package var load: @convention(c) (Client?) -> Float = jack_cpu_load
  package var free: @convention(c) (Argument?) -> Void = jack_free

  // MARK: Notifications and callbacks

  package var onShutdown: @convention(c) (Client?, JackShutdownCallback?, Argument?) -> Void =
    jack_on_shutdown
  package var onInfoShutdown: @convention(c) (Client?, JackInfoShutdownCallback?, Argument?) -> Void =
    jack_on_info_shutdown
  package var onXrun: @convention(c) (Client?, JackXRunCallback?, Argument?) -> Int32 = jack_set_xrun_callback
  package var onConnection: @convention(c) (Client?, JackPortConnectCallback?, Argument?) -> Int32 =
    jack_set_port_connect_callback
  package var onRegistration: @convention(c) (Client?, JackPortRegistrationCallback?, Argument?) -> Int32 =
    jack_set_port_registration_callback
  package var onLatency: @convention(c) (Client?, JackLatencyCallback?, Argument?) -> Int32 =
    jack_set_latency_callback
  package var onSampleRate: @convention(c) (Client?, JackSampleRateCallback?, Argument?) -> Int32 =
    jack_set_sample_rate_callback
  package var onProcess: @convention(c) (Client?, JackProcessCallback?, Argument?) -> Int32 =
    jack_set_process_callback
  package var onSync: @convention(c) (Client?, JackSyncCallback?, Argument?) -> Int32 = jack_set_sync_callback
  package var onTimebase: @convention(c) (Client?, Int32, JackTimebaseCallback?, Argument?) -> Int32 =
    jack_set_timebase_callback
  package var releaseTimebase: @convention(c) (Client?) -> Int32 = jack_release_timebase

  // MARK: Ports and connections

  package var registerPort: @convention(c) (Client?, Text?, Text?, UInt, UInt) -> Port? = jack_port_register
  package var port: @convention(c) (Client?, Text?) -> Port? = jack_port_by_name
  package var portOfID: @convention(c) (Client?, jack_port_id_t) -> Port? = jack_port_by_id
  package var name: @convention(c) (Port?) -> Text? = jack_port_name
  package var nameSize: @convention(c) () -> Int32 = jack_port_name_size
  package var flags: @convention(c) (Port?) -> Int32 = jack_port_flags
  package var type: @convention(c) (Port?) -> Text? = jack_port_type
  package var uuid: @convention(c) (Port?) -> jack_uuid_t = jack_port_uuid
  package var aliases: @convention(c) (Port?, UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 =
    jack_port_get_aliases
  package var ports: @convention(c) (Client?, Text?, Text?, UInt) -> TextList? = jack_get_ports
  package var connect: @convention(c) (Client?, Text?, Text?) -> Int32 = jack_connect
  package var disconnect: @convention(c) (Client?, Port?) -> Int32 = jack_port_disconnect
  package var isConnected: @convention(c) (Port?, Text?) -> Int32 = jack_port_connected_to
  package var connectionCount: @convention(c) (Port?) -> Int32 = jack_port_connected
  package var connections: @convention(c) (Client?, Port?) -> TextList? = jack_port_get_all_connections
  package var latency:
    @convention(c) (Port?, jack_latency_callback_mode_t, UnsafeMutablePointer<jack_latency_range_t>?) -> Void =
      jack_port_get_latency_range
  package var setProperty: @convention(c) (Client?, jack_uuid_t, Text?, Text?, Text?) -> Int32 =
    jack_set_property
  package var removeProperties: @convention(c) (Client?, jack_uuid_t) -> Int32 = jack_remove_properties

  // MARK: The transport

  package var startTransport: @convention(c) (Client?) -> Void = jack_transport_start
  package var stopTransport: @convention(c) (Client?) -> Void = jack_transport_stop
  package var locateTransport: @convention(c) (Client?, jack_nframes_t) -> Int32 = jack_transport_locate
  package var queryTransport:
    @convention(c) (Client?, UnsafeMutablePointer<jack_position_t>?) -> jack_transport_state_t =
      jack_transport_query
  package var setSyncTimeout: @convention(c) (Client?, jack_time_t) -> Int32 = jack_set_sync_timeout

  // MARK: Times and buffers

  /// In microseconds.
  package var time: @convention(c) () -> jack_time_t = jack_get_time
  package var frameTime: @convention(c) (Client?) -> jack_nframes_t = jack_frame_time
  package var cycleTimes:
    @convention(c) (
      Client?, UnsafeMutablePointer<jack_nframes_t>?, UnsafeMutablePointer<jack_time_t>?,
      UnsafeMutablePointer<jack_time_t>?, UnsafeMutablePointer<Float>?
    ) -> Int32 = jack_get_cycle_times
  package var buffer: @convention(c) (Port?, jack_nframes_t) -> Argument? = jack_port_get_buffer
  package var midiCount: @convention(c) (Argument?) -> UInt32 = jack_midi_get_event_count
  package var midiEvent:
    @convention(c) (UnsafeMutablePointer<jack_midi_event_t>?, Argument?, UInt32) -> Int32 =
      jack_midi_event_get
  package var clearMIDI: @convention(c) (Argument?) -> Void = jack_midi_clear_buffer
  package var reserveMIDI:
    @convention(c) (Argument?, jack_nframes_t, Int) -> UnsafeMutablePointer<jack_midi_data_t>? =
      jack_midi_event_reserve

  package init() {}

  /// Whether the library is PipeWire's replacement of libjack.
  package var isPipeWire: Bool { String(cString: version()!).contains("PipeWire") }

  /// Whether it is PipeWire from 1.4 on, which passes a leader's ticks per beat, and counts beats from the start of bar 0.
  var countsFromBarZero: Bool { JACKLibrary.countsFromBarZero(String(cString: version()!)) }

  /// - Parameter version: such as `3.0.0.0 (using PipeWire 1.2.7)`.
  static func countsFromBarZero(_ version: String) -> Bool {
    guard let number = version.split(separator: "PipeWire ").dropFirst().first else {
      return false
    }
    let parts = number.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return parts.count == 2 && (parts[0], parts[1]) >= (1, 4)
  }
}
