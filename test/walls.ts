import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A module of the sources: what its files may import, below `src/` and of packages (`node:` is Node itself). */
export interface Wall {
  readonly from: string
  readonly to: readonly string[]
  readonly packages: readonly string[]
  /** What they may only load by `import()`. */
  readonly lazily?: readonly string[]
}

const serverSide = [
  'node:',
  'zod',
  'drizzle-orm',
  'better-sqlite3',
  'ulid',
  'pino',
  'ipaddr.js',
  'tldts',
  'otplib',
  '@simplewebauthn/server',
  '@node-rs/argon2',
  '@peculiar/x509',
  'reflect-metadata',
]
const http = [...serverSide, 'hono', '@hono/node-server']

/** The host as `serve` reaches it. */
const hostFromAfar = [
  'host/contract/client.ts',
  'host/contract/driver.ts',
  'host/contract/node-port.ts',
  'host/nodes/fleet/',
  'host/agent/client/',
  'host/nodes/panel/',
]

/** What is declared of the host's commands; beside types, checks of values, which touch no files. */
const hostCommands = ['host/contract/command.ts', 'host/contract/commands/', 'host/contract/driver.ts']
const hostClient = [...hostCommands, 'host/contract/client.ts', 'host/contract/command-client.ts']

/** The import rules. The first module with a file counts; `areas/*` is any area's folder, `areas/{same}` its own. */
export const walls: readonly Wall[] = [
  {
    from: 'contract/',
    to: [
      'contract/',
      'shared/archives.ts',
      'shared/cron-shortcuts.ts',
      'shared/patterns.ts',
      'shared/zone/record.ts',
      'shared/sql/',
      'shared/firewall.ts',
      'shared/waf.ts',
      'shared/ftp.ts',
      'shared/mail-trace.ts',
      'shared/git-url.ts',
      'shared/git-ref.ts',
      'shared/env-name.ts',
    ],
    packages: ['zod'],
  },
  { from: 'shared/', to: ['shared/'], packages: ['node:'] },
  // What AI agents use: it reaches the server only as a caller of the API does.
  {
    from: 'mcp/',
    to: ['mcp/', 'contract/', 'shared/similar.ts', 'shared/patterns.ts', 'shared/fair-map.ts'],
    packages: ['node:', 'zod', '@modelcontextprotocol/sdk'],
  },
  { from: 'cli/target/', to: ['cli/target/', 'cli/*.ts', 'shared/'], packages: ['node:', 'conf'] },
  { from: 'cli/request/', to: ['cli/request/', 'cli/target/', 'cli/*.ts', 'shared/'], packages: ['node:'] },
  {
    from: 'cli/input/',
    to: ['cli/input/', 'cli/request/', 'cli/output/select.ts', 'cli/run/', 'cli/*.ts', 'shared/'],
    packages: ['node:', 'inquirer', 'node-forge'],
  },
  {
    from: 'cli/output/',
    to: ['cli/output/', 'cli/request/', 'cli/input/values.ts', 'cli/*.ts', 'shared/'],
    packages: ['node:', 'cli-table3', 'yaml', '@jmespath-community/jmespath'],
  },
  {
    from: 'cli/',
    to: ['cli/', 'shared/'],
    packages: [
      'node:',
      'commander',
      'inquirer',
      '@inquirer/prompts',
      'node-forge',
      'chalk',
      'cli-table3',
      'conf',
      'undici',
      'yaml',
      '@jmespath-community/jmespath',
    ],
    lazily: ['server/serve.ts', 'server/upkeep.ts', 'host/setup/main.ts', 'host/nodes/node/join.ts', 'mcp/stdio.ts'],
  },
  {
    from: 'generate',
    to: ['generate/', 'contract/', 'cli/', 'shared/'],
    packages: ['node:', 'zod', 'json-stringify-pretty-compact'],
  },
  { from: 'store/', to: ['store/', 'shared/'], packages: ['node:', 'better-sqlite3', 'drizzle-orm'] },
  // The panel's side of the host: what goes over the wire, and types. It never reaches what touches the host's files.
  { from: 'host/contract/fields.ts', to: ['host/contract/error.ts', 'shared/'], packages: ['node:', 'valibot'] },
  { from: 'host/contract/shape.ts', to: ['host/contract/fields.ts'], packages: ['valibot'] },
  { from: 'host/contract/client.ts', to: hostCommands, packages: ['node:'] },
  { from: 'host/contract/command-client.ts', to: [...hostCommands, 'host/contract/client.ts'], packages: [] },
  {
    from: 'host/nodes/fleet/',
    to: ['host/nodes/fleet/', ...hostClient, 'shared/'],
    packages: [],
  },
  {
    from: 'host/agent/protocol/',
    to: ['host/agent/protocol/', 'host/contract/client.ts', ...hostCommands],
    packages: ['node:'],
  },
  {
    from: 'host/agent/client/',
    to: ['host/agent/client/', 'host/agent/protocol/', ...hostClient],
    packages: ['node:'],
  },
  { from: 'host/contract/node-port.ts', to: ['host/contract/client.ts'], packages: [] },
  // Where the panel's nodes connect.
  {
    from: 'host/nodes/panel/',
    to: [
      'host/nodes/panel/',
      'host/agent/client/',
      'host/agent/protocol/',
      ...hostCommands,
      'host/contract/fields.ts',
      'host/contract/shape.ts',
      'host/contract/node-port.ts',
      'shared/public-key.ts',
      'shared/time.ts',
    ],
    packages: ['node:'],
  },
  // The node's side of that.
  {
    from: 'host/nodes/node/',
    to: [
      'host/nodes/node/',
      'host/agent/protocol/',
      'host/agent/service/',
      'contract/version.ts',
      'shared/files.ts',
      'shared/public-key.ts',
      'shared/service-manager.ts',
    ],
    packages: ['node:', '@peculiar/x509', 'reflect-metadata'],
  },
  {
    from: 'host/agent/service/',
    lazily: ['host/nodes/node/serve.ts'],
    to: [
      'host/agent/service/',
      'host/agent/protocol/',
      'host/contract/client.ts',
      'host/contract/',
      'host/driver/',
      'host/debian/',
      'host/apps/',
      'host/backup/',
      'host/dumps/',
      'host/imports/process.ts',
      'host/install/',
      'host/parts/',
      'contract/version.ts',
      'shared/async/',
      'shared/files.ts',
      'shared/life.ts',
      'shared/lock.ts',
      'shared/service-manager.ts',
      'shared/until-any.ts',
    ],
    packages: ['node:'],
  },
  { from: 'host/apps/project/versions.ts', to: ['host/'], packages: ['node:', 'semver'] },
  {
    from: 'host/homes/archive/',
    to: ['host/homes/archive/', 'host/homes/home/', 'host/contract/', 'host/driver/', 'host/programs/'],
    packages: ['node:', 'yauzl'],
  },
  {
    from: 'host/mail-trace/',
    to: [
      'host/mail-trace/',
      'host/contract/',
      'host/homes/',
      'host/log-database.ts',
      'host/mail-queue/',
      'host/traffic/',
      'shared/',
    ],
    packages: ['node:', 'better-sqlite3'],
  },
  { from: 'host/log-database.ts', to: ['shared/'], packages: ['node:', 'better-sqlite3'] },
  {
    from: 'host/waf/',
    to: ['host/waf/', 'host/contract/', 'host/log-database.ts', 'shared/'],
    packages: ['node:', 'better-sqlite3'],
  },
  {
    from: 'host/',
    to: [
      'host/contract/',
      'host/driver/',
      // Only frames: what an agent sends to the processes it starts.
      'host/agent/protocol/frames.ts',
      'host/apps/',
      'host/programs/',
      'host/homes/archive/',
      'host/backup/',
      'host/bans/',
      'host/firewall/',
      'host/debian/',
      'host/diff/',
      'host/dumps/',
      'host/homes/',
      'host/imports/',
      'host/install/',
      'host/mail-queue/',
      'host/mail-trace/',
      'host/measure/',
      'host/parts/',
      'host/setup/',
      'host/smtp/',
      'host/tenant/',
      'host/traffic/',
      'host/waf/',
      'host/wordpress/',
      'shared/',
    ],
    packages: ['node:', 'ulid'],
  },
  { from: 'outgoing/', to: ['outgoing/', 'shared/'], packages: ['node:', 'undici', 'ipaddr.js'] },
  {
    from: 'runtime/',
    to: ['runtime/', 'contract/', 'store/', 'shared/'],
    packages: serverSide,
  },
  // What an area shows: views of operations. A view cannot reach the store even by mistake.
  { from: 'areas/*/screens.tsx', to: ['web/kit/', 'contract/', 'areas/{same}/views/'], packages: ['hono'] },
  { from: 'areas/*/views/', to: ['web/kit/', 'contract/', 'areas/{same}/views/'], packages: ['hono'] },
  { from: 'areas/screens.ts', to: ['web/kit/screen.ts'], packages: [] },
  {
    from: 'areas/index.ts',
    to: ['areas/*/', 'contract/', 'runtime/', 'host/contract/driver.ts', 'web/kit/screen.ts'],
    packages: [],
  },
  {
    from: 'areas/mailer/',
    to: ['areas/mailer/', 'runtime/', 'store/', 'shared/', 'host/contract/client.ts'],
    packages: [...serverSide, 'nodemailer'],
  },
  {
    from: 'areas/',
    to: [
      'areas/*/',
      'contract/',
      'runtime/',
      'store/',
      'shared/',
      'outgoing/',
      'host/contract/client.ts',
      'host/contract/driver.ts',
      'host/contract/node-port.ts',
      'host/nodes/fleet/',
    ],
    packages: serverSide,
  },
  {
    from: 'server/compose.ts',
    to: [
      'server/',
      'web/',
      'whm/',
      'areas/index.ts',
      'contract/',
      'runtime/',
      'store/',
      'shared/',
      'outgoing/',
      ...hostFromAfar,
    ],
    packages: http,
  },
  {
    from: 'server/serve.ts',
    to: [
      'server/',
      'web/',
      'whm/',
      'areas/',
      'contract/',
      'runtime/',
      'store/',
      'shared/',
      'outgoing/',
      ...hostFromAfar,
    ],
    packages: http,
  },
  {
    from: 'server/whm.ts',
    to: ['server/', 'whm/', 'areas/index.ts', 'contract/', 'runtime/', 'shared/'],
    packages: http,
  },
  {
    from: 'server/upkeep.ts',
    to: ['server/takeover.ts', 'server/peek-store.ts', 'areas/index.ts', 'runtime/', 'store/', 'shared/'],
    packages: ['node:'],
  },
  // Reads a store before a server opens it, and asks the old server whether it is alive.
  { from: 'server/takeover.ts', to: ['store/', 'shared/loopback.ts'], packages: ['node:', 'better-sqlite3'] },
  {
    from: 'server/agent.ts',
    to: ['contract/version.ts', 'runtime/', 'shared/driver.ts', ...hostFromAfar],
    packages: ['node:'],
  },
  {
    from: 'server/',
    lazily: ['web/routes.tsx', 'mcp/http.ts'],
    to: ['server/', 'mcp/session.ts', 'web/panel-request.ts', 'areas/index.ts', 'contract/', 'runtime/', 'shared/'],
    packages: http,
  },
  // What runs in the browser: all of it, and no server code.
  { from: 'web/browser/', to: ['web/browser/'], packages: [] },
  { from: 'whm/', to: ['whm/', 'contract/'], packages: ['node:', 'hono', 'zod'] },
  { from: 'web/kit/', to: ['web/kit/', 'contract/', 'shared/'], packages: ['hono'] },
  {
    from: 'web/',
    to: ['web/', 'areas/index.ts', 'contract/', 'runtime/', 'shared/'],
    packages: ['node:', 'hono', 'zod', '@fastify/busboy'],
  },
]

/** An import: a file below `src/`, and the file there or the package that it imports. */
export interface Edge {
  readonly from: string
  readonly to: string
  readonly lazy: boolean
}

const written = [
  { lazy: false, pattern: /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm },
  { lazy: false, pattern: /^\s*import\s*['"]([^'"]+)['"]/gm },
  { lazy: true, pattern: /\bimport\(\s*['"]([^'"]+)['"]/g },
]

const target = (from: string, specifier: string) =>
  specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier

/** What a file imports, types included. */
export const edgesOf = (from: string, source: string): Edge[] =>
  written.flatMap(({ lazy, pattern }) =>
    [...source.matchAll(pattern)].map(([, specifier]) => ({ from, to: target(from, specifier!), lazy })),
  )

/** Every import below a folder. */
export const edgesBelow = (root: string): Edge[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => edgesOf(file, readFileSync(join(root, file), 'utf8')))

const isFile = (to: string) => /\.(tsx?|json)$/.test(to)
const within = (room: string, file: string) =>
  new RegExp(`^${room.replaceAll('.', '\\.').replace('*', '[^/]+')}`).test(file)
const packageOf = (specifier: string) =>
  specifier.startsWith('node:')
    ? 'node:'
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')

/** Whether the rules allow an import. */
export function isAllowed({ from, to, lazy }: Edge): boolean {
  const wall = walls.find((room) => within(room.from, from))
  if (wall === undefined) return false
  const [, same = ''] = /^areas\/([^/]+)\//.exec(from) ?? []
  if (!isFile(to)) return wall.packages.includes(packageOf(to))
  const rooms = lazy ? [...wall.to, ...(wall.lazily ?? [])] : wall.to
  return rooms.some((room) => within(room.replace('{same}', same), to))
}
