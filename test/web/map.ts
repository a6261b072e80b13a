import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { screens } from '../../src/areas/index.ts'
import { operations } from '../../src/contract/index.ts'
import { sideOf } from '../../src/web/kit/page-scope.ts'
import type { Screen } from '../../src/web/kit/screen.ts'
import type { TestPanel } from '../harness.ts'
import { makeWorld, pathIn, unknown, type World } from '../world.ts'
import { password, Visitor } from './visitor.ts'

export const declared = await screens()

/** Names in addresses that are query parameters of their operation. */
const named: Readonly<Record<string, string>> = { domain: 'alice.example', path: 'sites' }

/** The directory driver has no databases. */
const isVisited = ({ shows, path }: Screen): boolean => shows !== 'listBackupEntries' || !path.includes('/mysql')

/** The names in a page's address, in order: the ids of its operation's path except the account's, then names. */
function addressIn(world: World, base: string, { shows, path }: Screen): string {
  const op = operations[shows]
  const filled = (pathIn(world, op) ?? op.path).split('/')
  const ids = op.path.split('/').flatMap((part, place) => (part.startsWith('{') ? [filled[place]!] : []))
  if (op.path.startsWith('/accounts/{id}')) ids.shift()
  const names: typeof named = { ...named, ...namesIn(shows, path) }
  const below = path.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string) => ids.shift() ?? names[name] ?? unknown)
  return below === '/' && base.includes('/', 1) ? base : base + below
}

function namesIn(shows: Screen['shows'], path: string): Readonly<Record<string, string>> {
  if (shows === 'readFile') return { path: 'page.html' }
  if (path.startsWith('/email-templates/')) return { kind: 'welcome', locale: 'en' }
  return shows === 'listBackupEntries' && path.includes('/mail/') ? { path: 'info@alice.example' } : {}
}

const bases = (screen: Screen): string[] =>
  sideOf(screen) === 'server'
    ? ['/admin']
    : [screen.only !== 'admin' ? '/user' : '', screen.only !== 'user' ? '/admin/accounts/alice' : ''].filter(Boolean)

/** Every page, once for each panel that has it. */
export const pages = declared.filter(isVisited).flatMap((screen) => bases(screen).map((base) => ({ base, screen })))

/** A world with one of each object, and its visitors. */
export async function makeVisited(panel: TestPanel) {
  const world = await makeWorld(panel)
  await panel.settle()
  writeFileSync(join(panel.dir, 'host/home/alice/page.html'), '<h1>')
  await panel.put('/root/password', { new_password: password })
  const customer = await new Visitor(panel).signIn('alice')
  const root = await new Visitor(panel).signIn('root', 'admin')
  const whoSees = (base: string): Visitor => (base === '/user' ? customer : root)
  const browsed = new Map(world.ids).set('/accounts/{id}/backups/{bid}', await indexedBackup(panel, world.alice.id))
  const addressOf = ({ base, screen }: (typeof pages)[number]) =>
    addressIn(screen.shows === 'listBackupEntries' ? { ...world, ids: browsed } : world, base, screen)
  return { world, customer, root, whoSees, addressOf, browsed }
}

/** A backup with files, mail and zones, which pages can look into. */
export async function indexedBackup(panel: TestPanel, account: string): Promise<string> {
  const mail = join(panel.dir, 'host/home/alice/mail/alice.example/info/cur')
  mkdirSync(mail, { recursive: true })
  writeFileSync(join(mail, '1'), 'Subject: hello\n')
  const { backup } = (await panel.post(`/accounts/${account}/backups`, { parts: ['files', 'mail', 'dns'] })).body
  await panel.settle()
  await panel.get(`/accounts/${account}/backups/${backup.id}/entries`)
  await panel.settle()
  return backup.id
}
