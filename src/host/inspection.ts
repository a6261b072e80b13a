/** A service of the machine. */
export interface ServiceState {
  readonly name: string
  /** Of systemd; where each account has one of its own, the first that does not run, or else their pattern. */
  readonly unit?: string
  /** As systemd says it: active, inactive, failed. */
  readonly state?: string
  /** Of its Debian package. */
  readonly version?: string
}

/** A kind of limit that this machine cannot enforce. */
export interface Unenforced {
  readonly kind: 'cpu' | 'memory' | 'tasks' | 'io' | 'disk' | 'inodes'
  /** One sentence. */
  readonly reason: string
}

/** What a real machine is like. */
export interface Inspection {
  /** `Debian 13` */
  readonly system: string
  readonly services: readonly ServiceState[]
  /** The file system below /home that enforces quotas, if it does. */
  readonly quota: 'none' | 'ext4' | 'xfs' | 'btrfs'
  /** The version of control groups; 0: there are none. */
  readonly cgroup: 0 | 1 | 2
  readonly unenforced: readonly Unenforced[]
}

/** What one probe of an account's services found. */
export interface ProbeResult {
  /** What was asked, such as `http alice.example`. */
  readonly probe: string
  readonly ok: boolean
  /** What was answered, or why it is not what it should be. */
  readonly message: string
}
