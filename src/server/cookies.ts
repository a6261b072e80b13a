/**
 * Any site below the server's domain can set `panel_user` for all of that domain. It cannot set a session cookie's
 * prefixed copy: browsers accept that name only over TLS, without a domain.
 */
const prefixed = (pair: string): string => `__Host-${pair}`

/** A cookie of a request; over TLS, its prefixed copy decides if there is one. */
export function cookieIn(header: string, name: string, secure: boolean): string | undefined {
  return secure && hasPrefixed(header, name) ? only(header, prefixed(name)) : only(header, name)
}

export const hasPrefixed = (header: string, name: string): boolean => valuesOf(header, prefixed(name)).length > 0

/** Adds the prefixed copies of the session cookies that a response sets. */
export function withPrefixedCookies(response: Response): Response {
  for (const line of response.headers.getSetCookie())
    if (/^panel_(?:admin|user)=/.test(line)) response.headers.append('Set-Cookie', prefixed(line))
  return response
}

/**
 * Returns a cookie unless it was sent twice. Sites on other ports of this host can set cookies here: of two with the
 * same name, nothing tells which one was planted.
 */
function only(header: string, name: string): string | undefined {
  const values = valuesOf(header, name)
  return values.length === 1 ? values[0] : undefined
}

const valuesOf = (header: string, name: string): string[] =>
  header.split(/; */).flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
