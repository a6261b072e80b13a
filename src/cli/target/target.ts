/** A signed-in browser's worth of secrets: the cookie, and the token that goes with every change. */
export interface SavedSession {
  readonly panel: 'admin' | 'user'
  readonly username: string
  readonly cookie: string
  readonly csrf: string
  /** Milliseconds. */
  readonly expires_at?: number
}

/** A server saved under a name. */
export interface Context {
  readonly url: string
  /** File with the certificates that are trusted. */
  readonly ca?: string
  /** The public key that is trusted: `sha256:<hex>`. */
  readonly pin?: string
  /** Who the token acts as. */
  readonly user?: string
  readonly token?: string
  readonly session?: SavedSession
}

/** The server a command talks to. */
export interface Target {
  /** Where requests go. A socket speaks plain HTTP, whatever the address says. */
  readonly url: URL
  readonly socket?: string
  readonly token?: string
  readonly session?: Pick<SavedSession, 'panel' | 'cookie' | 'csrf'>
  /** File with the certificates that are trusted. */
  readonly ca?: string
  /** The public key that is trusted, whatever certificate it comes in. */
  readonly pin?: string
  /** The saved server it is. */
  readonly context?: string
  /** What prompts and messages call it. */
  readonly label: string
  /** How it was chosen, in words. */
  readonly source: string
}
