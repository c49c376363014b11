/// Finds what makes the clicks of a machine late, silent or lost.
package struct Diagnosis: Sendable {
  /// Problems first, then warnings; empty for a healthy machine.
  package let findings: [Finding]

  /// A disk with fewer free bytes counts as full.
  static let littleSpace = 16 << 20
  /// Bytes that a client should be able to lock in memory: its program, its libraries and its buffers.
  static let lockedMemory = 256 << 20
  /// The longest period, in seconds, at which a click that follows a fader or a pedal does not feel late.
  static let longPeriod = 0.022
  /// File descriptors that Tactus needs with many OSC peers and a session's sounds.
  static let descriptors = 256

  package init(_ machine: Machine) {
    let checks = [
      Diagnosis.realtime, Diagnosis.memory, Diagnosis.server, Diagnosis.soundCard, Diagnosis.governor,
      Diagnosis.midi, Diagnosis.network, Diagnosis.speech, Diagnosis.storage,
    ]
    let found = checks.flatMap { $0(machine) }
    findings = found.filter { $0.severity == .problem } + found.filter { $0.severity == .warning }
  }

  private static func realtime(_ machine: Machine) -> [Finding] {
    let user = machine.user
    guard !user.isRoot, machine.limits.realtimePriority < 10 else { return [] }
    let text = "this user may not run threads with real-time priority, so clicks stutter under load"
    let remedy =
      if !machine.grantsAudioGroup {
        "sudo dpkg-reconfigure -p high jackd2 (answer yes), then log in again"
      } else if !user.isListedInAudioGroup {
        "sudo usermod -aG audio \(user.name), then log in again"
      } else if !user.hasAudioGroup {
        "log out and in again: \(user.name) is in the group audio, but this session began before"
      } else {
        "log out and in again; if that does not help, check /etc/security/limits.d/audio.conf"
      }
    return [Finding(.problem, .realtime, text, remedy: remedy)]
  }

  private static func memory(_ machine: Machine) -> [Finding] {
    var findings: [Finding] = []
    if !machine.user.isRoot, let bytes = machine.limits.lockedMemory, bytes < lockedMemory {
      findings.append(
        Finding(
          .warning, .memory,
          "this user may lock only \(bytes >> 10) KiB in memory: parts of Tactus may be paged out",
          remedy: "put '@audio - memlock unlimited' into /etc/security/limits.d/audio.conf, and log in again")
      )
    }
    if machine.limits.descriptors < descriptors {
      findings.append(
        Finding(
          .problem, .descriptors, "only \(machine.limits.descriptors) files may be open at a time",
          remedy: "ulimit -n 1024"))
    }
    if machine.freeSharedMemory < littleSpace {
      findings.append(
        Finding(
          .problem, .sharedMemory,
          "/dev/shm has only \(machine.freeSharedMemory >> 10) KiB free: JACK clients can't be opened",
          remedy: "ls -lS /dev/shm, then remove files of programs that no longer run"))
    }
    return findings
  }

  private static func server(_ machine: Machine) -> [Finding] {
    if let database = machine.lockedDatabase {
      return [
        Finding(
          .problem, .database, "a program ended and left \(database) locked: JACK clients wait forever",
          remedy: "end all JACK programs and servers, then rm -r \(database)")
      ]
    }
    guard let server = machine.server else {
      return [
        Finding(
          .warning, .server,
          machine.serverProblem
            ?? "no JACK server runs: Tactus starts a private one, which no other program uses",
          remedy: "start your server first (qjackctl, or systemctl --user start pipewire)")
      ]
    }
    var findings: [Finding] = []
    let name = server.isPipeWire ? "PipeWire" : "JACK server \(server.name)"
    if server.isPrivate {
      findings.append(
        Finding(
          .warning, .server,
          "Tactus plays on a private JACK server, which other programs reach only by its name",
          remedy:
            "export JACK_DEFAULT_SERVER=\(server.name) before jack_lsp and jack_connect; or start a server first"
        ))
    }
    if !server.isRealtime {
      findings.append(
        Finding(
          .problem, .realtime, "\(name) runs without real-time priority",
          remedy: server.isPipeWire
            ? "sudo apt install rtkit, then systemctl --user restart pipewire"
            : "start jackd with -R (qjackctl: Setup, Realtime)"))
    }
    let seconds = Double(server.period) / Double(server.sampleRate)
    if seconds > longPeriod {
      let milliseconds = Int((seconds * 1_000).rounded())
      findings.append(
        Finding(
          .warning, .period,
          "a period lasts \(server.period) frames: changes sound at least \(milliseconds) ms late",
          remedy: server.isPipeWire
            ? "pw-metadata -n settings 0 clock.force-quantum 256" : "start jackd with -p 256"))
    }
    if server.xruns > 0 {
      findings.append(
        Finding(
          .problem, .xruns, "\(server.xruns) xruns during this check: the click stutters",
          remedy:
            "set a period longer than \(server.period) frames, and end programs that keep the processor busy")
      )
    }
    if let player = server.player, player.outputs == 0 {
      findings.append(
        Finding(
          .problem, .outputs, "the port \(player.client):out is not connected: no click sounds",
          remedy: "jack_connect \(player.client):out system:playback_1"))
    }
    return findings
  }

  private static func soundCard(_ machine: Machine) -> [Finding] {
    if !machine.hasSoundCard {
      return [
        Finding(
          .problem, .soundCard, "the system has no sound card: no click sounds",
          remedy: "connect an interface; cat /proc/asound/cards lists the cards")
      ]
    }
    guard let server = machine.server, server.playbackPorts == 0 else { return [] }
    return [
      Finding(
        .problem, .outputs, "the server has no physical outputs: no click sounds",
        remedy: server.isPipeWire
          ? "choose a profile with outputs for the card (pavucontrol, Configuration)"
          : "start jackd with -d alsa -d hw:CARD, not with the dummy driver")
    ]
  }

  private static func governor(_ machine: Machine) -> [Finding] {
    guard machine.governors.contains("powersave") else { return [] }
    return [
      Finding(
        .warning, .governor, "the processor's governor is 'powersave': xruns are likelier",
        remedy: "sudo cpupower frequency-set -g performance")
    ]
  }

  private static func midi(_ machine: Machine) -> [Finding] {
    guard let server = machine.server, server.midiSources == 0, let device = machine.midiDevices.first else {
      return []
    }
    return [
      Finding(
        .warning, .midi, "ALSA has the MIDI device \(device), but JACK has no MIDI ports for it",
        remedy: server.isPipeWire ? "systemctl --user restart wireplumber" : "a2jmidid -e &")
    ]
  }

  private static func network(_ machine: Machine) -> [Finding] {
    var findings: [Finding] = []
    if machine.isOSCPortTaken, machine.server?.player == nil {
      findings.append(
        Finding(
          .problem, .oscPort,
          "another program uses UDP port \(machine.oscPort) and receives the OSC messages",
          remedy: "ss -lunp 'sport = :\(machine.oscPort)' shows which; or play with --osc-port"))
    }
    if let firewall = machine.firewall, machine.expectsRemotes {
      let port = machine.oscPort
      let remedy =
        switch firewall {
        case "ufw": "sudo ufw allow \(port)"
        case "firewalld": "sudo firewall-cmd --add-port=\(port)/udp --add-port=\(port)/tcp"
        default: "allow UDP and TCP port \(port) in \(firewall)"
        }
      findings.append(
        Finding(
          .warning, .firewall,
          "the firewall \(firewall) may block OSC and the web page for other machines",
          remedy: remedy))
    }
    return findings
  }

  private static func speech(_ machine: Machine) -> [Finding] {
    guard !machine.hasSpeech else { return [] }
    return [
      Finding(
        .warning, .speech, "espeak-ng is not installed: spoken cues are chimes",
        remedy: "sudo apt install espeak-ng")
    ]
  }

  private static func storage(_ machine: Machine) -> [Finding] {
    var findings: [Finding] = []
    let folder = machine.settingsFolder
    if folder.isReadOnly {
      findings.append(
        Finding(
          .problem, .settings,
          "\(folder.path) is on a read-only file system: settings are lost at the end",
          remedy: "make it writable, or set XDG_STATE_HOME to a folder that is"))
    } else if !folder.isWritable {
      let user = machine.user.name
      findings.append(
        Finding(
          .problem, .settings,
          "\(folder.path) can't be \(folder.exists ? "written" : "created"): settings are lost at the end",
          remedy: folder.exists
            ? "sudo chown -R \(user): \(folder.path)"
            : "let \(user) create it, or set XDG_STATE_HOME to a folder that can be written"))
    } else if folder.free < littleSpace {
      findings.append(
        Finding(
          .problem, .disk, "the disk with \(folder.path) is full: settings can't be saved",
          remedy: "df -h \(folder.path), then free some space"))
    }
    if let problem = machine.settingsProblem {
      findings.append(
        Finding(
          .warning, .settings, problem, remedy: "repair the file, or start with --fresh, which keeps a backup"
        ))
    }
    return findings
  }
}
