/** A service of the machine. */
export interface ServiceState {
  readonly name: string
  /** The systemd unit; if each account has its own, the first failed one, or else their pattern. */
  readonly unit?: string
  /** In systemd's terms: active, inactive, failed. */
  readonly state?: string
  /** Its Debian package's version. */
  readonly version?: string
}

/** A kind of limit that this machine cannot enforce. */
export interface Unenforced {
  readonly kind: 'cpu' | 'memory' | 'tasks' | 'io' | 'disk' | 'inodes'
  /** One sentence. */
  readonly reason: string
}

/** The properties of a real machine. */
export interface Inspection {
  /** `Debian 13` */
  readonly system: string
  readonly services: readonly ServiceState[]
  /** The type of the file system of /home, if it enforces quotas. */
  readonly quota: 'none' | 'ext4' | 'xfs' | 'btrfs'
  /** The cgroup version; 0 without cgroups. */
  readonly cgroup: 0 | 1 | 2
  readonly unenforced: readonly Unenforced[]
}

/** The result of one probe of an account's services. */
export interface ProbeResult {
  /** What was probed, such as `http alice.example`. */
  readonly probe: string
  readonly ok: boolean
  /** The answer, or what is wrong with it. */
  readonly message: string
}
