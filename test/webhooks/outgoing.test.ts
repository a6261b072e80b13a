import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Ways to open a connection without the guarded client. */
const pathsOut = [
  /(?<![.\w])fetch\(/,
  /import\s*\{[^}]*(?<!type )\b(request|get|Agent)\b[^}]*\}\s*from 'node:https?'/,
  /import\s*\{[^}]*(?<!type )\b(connect|createConnection|Socket)\b[^}]*\}\s*from 'node:(net|tls)'/,
  /import\s+(?!type)(\*|\w+)[^'\n]*from 'node:(https?|net|tls|http2)'/,
  /from 'undici'/,
]

/** They speak to processes of this machine alone: by sockets with a path or descriptor, or at its own addresses. */
const local = [
  ...['service/local.ts', 'client/child.ts', 'client/socket.ts'].map((file) => `host/agent/${file}`),
  'host/apps/health.ts',
  'host/driver/inherited-socket.ts',
  'host/driver/listening.ts',
  ...['mail/srs/forwarding.ts', 'verify/http.ts', 'verify/talk.ts'].map((file) => `host/debian/${file}`),
]

/** They speak to servers of the panel alone: a node to the one that it joined, one that takes over to the former. */
const own = ['host/nodes/node/connect.ts', 'server/notify-replaced.ts', 'server/takeover.ts']

/** Run by root's command, at a fixed address: the key of a package source that was asked for. */
const setup = ['host/setup/php/source.ts']

/** They speak SMTP to the relays that root names, and within this machine. */
const relays = ['host/smtp/stream.ts', 'host/smtp/test-relay.ts']

// What stands in web/browser runs in browsers.
test('the server has one guarded way out', () => {
  const files = (readdirSync('src', { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file))
  const elsewhere = files.filter(
    (file) => !/^(cli|outgoing|web\/browser)\//.test(file) && ![...local, ...own, ...setup, ...relays].includes(file),
  )
  const found = elsewhere.filter((file) => pathsOut.some((path) => path.test(readFileSync(join('src', file), 'utf8'))))
  expect(elsewhere.length).toBeGreaterThan(100)
  expect(found).toEqual([])
})
