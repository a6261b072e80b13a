/** A session's secrets, as a browser holds them: the cookie, and the CSRF token. */
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
  /** The trusted public key: `sha256:<hex>`. */
  readonly pin?: string
  /** Who the token acts as. */
  readonly user?: string
  readonly token?: string
  readonly session?: SavedSession
}

/** The server a command talks to. */
export interface ServerTarget {
  /** The URL of requests. A socket speaks plain HTTP, whatever the URL says. */
  readonly url: URL
  readonly socket?: string
  readonly token?: string
  readonly session?: Pick<SavedSession, 'panel' | 'cookie' | 'csrf'>
  /** File with the certificates that are trusted. */
  readonly ca?: string
  /** The trusted public key, with any certificate. */
  readonly pin?: string
  /** The name of the saved server. */
  readonly context?: string
  /** Its name in prompts and messages. */
  readonly label: string
  /** How it was chosen, in words. */
  readonly source: string
}
