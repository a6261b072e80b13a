import { Problem } from '../contract/problem.ts'

/**
 * The API token in an `Authorization` header: `WHM <user>:<token>`, or Basic with the token as password. The user is
 * ignored: the token decides who acts.
 */
export function tokenIn(authorization: string | undefined): string {
  const match = /^(whm|basic)\s+([\s\S]+)$/i.exec(authorization?.trim() ?? '')
  if (!match) throw refused()
  const pair = match[1]!.toLowerCase() === 'basic' ? Buffer.from(match[2]!, 'base64').toString('utf8') : match[2]!
  const colon = pair.indexOf(':')
  if (colon < 0) throw refused()
  return pair.slice(colon + 1).replace(/\s+/g, '')
}

const refused = (): Problem =>
  new Problem('unauthenticated', 'Send `Authorization: whm <user>:<token>` with an API token.')
