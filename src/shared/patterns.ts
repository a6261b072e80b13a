/** A ULID: 26 characters of Crockford's base 32, the first at most 7. */
export const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}'

/** Postfix's name of a queued message: a long queue id, which is never used twice, or one from before it had those. */
export const queueId = '[0-9A-Za-z]{6,20}'

/** Whether an address looks like a sender that a server has rewritten to forward mail (SRS). */
export const isRewritten = (address: string): boolean => /^"?srs[01][-+=]/i.test(address)

/** One label of a host name, in its ASCII form. */
export const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/** A public top-level label: never all digits, which would make it an address. */
export const topLabel = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,57}[a-z0-9])'

/** The limit of DNS. */
export const MAX_HOSTNAME_LENGTH = 253

/** Leaves room for `hostmaster.` (253, DNS) and file suffixes (255). */
export const MAX_DOMAIN_LENGTH = 230

/** A wildcard's file names begin with a word instead of the star. */
export const MAX_WILDCARD_LENGTH = 220

/** Valid fields of a remote backup destination. */
export const remotePatterns = {
  /** As people paste them: `plainSettings` of the panel reads these. */
  pastedEndpoint: /^\s*https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?(?:\/[A-Za-z0-9_.-]+)*\/*\s*$/,
  pastedHostKey: /^[^\0]*(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]{16}[^\0]*$/,
  pastedPrivateKey: /^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----[\x20-\x7e\r\n]+-----END [A-Z ]*PRIVATE KEY-----\s*$/,
  /** The path is that of a gateway; plain http is for networks that root allows. */
  endpoint: new RegExp(`^https?://(?:${label}\\.)*${label}(?::[0-9]{1,5})?(?:/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,9}$`),
  /** Shorter ones than S3's exist on other servers. */
  bucket: /^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/,
  prefix: /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,9}$/,
  region: /^[a-z0-9-]{1,32}$/,
  key: /^[\x21-\x7e]{1,256}$/,
  host: new RegExp(`^(?:${label}\\.)*${label}$`),
  user: /^[A-Za-z_][A-Za-z0-9._-]{0,63}$/,
  path: /^\/?[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,19}$/,
  privateKey: /^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+\n-----END [A-Z ]*PRIVATE KEY-----\n?$/,
  hostKey: /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/]{16,8192}={0,2}$/,
} as const

/** How to sign in to an SMTP relay: Postfix reads `username:password` from one line. */
export const relayPatterns = {
  username: /^[\x21-\x39\x3b-\x7e]+$/,
  password: /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/,
  /** In an SMTP command. */
  recipient: /^[\x21-\x3b\x3d\x3f-\x7e]+$/,
} as const

/** A path of a site. No blank, quote, backslash, dollar, brace or semicolon: nginx has it in its configuration. */
export const sitePath = /^\/[A-Za-z0-9._~/-]{0,511}$/

const rootPart = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}'

/** A site's document root in its home: not where mail, sessions, keys and sockets are; `sites` and `apps` have others' below. */
export const documentRoot = new RegExp(
  `^(?!(?:mail|tmp|etc|logs|ssl|cgi-bin|run)(?:/|$))(?!(?:sites|apps)$)(?:${rootPart}(?:/${rootPart}){0,7}|(?:sites|apps)(?:/${rootPart}){8})$`,
)

export const absolutePath = /^\/[^\0]*$/
export const MAX_PATH_LENGTH = 4_096

/** A local directory: absolute, each part a plain name. */
export const plainPath = /^(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)+$/

/**
 * Local parts of addresses, of at most 64 characters. Those here name directories, rows and logins: without `+`, which
 * is up to the recipient, and without what a shell, a path or a pattern could misread. Those elsewhere are the atoms of
 * RFC 5322, with any dots but the first; they must not look like an option, a path or a command.
 */
export const localParts = {
  hosted: "(?=.{1,64}@)(?!-)[A-Za-z0-9_'&=~-]+(?:\\.[A-Za-z0-9_'&=~-]+)*",
  elsewhere: "(?![-|/.])[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}",
} as const
