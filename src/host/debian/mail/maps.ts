import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { assemble } from '../../assemble.ts'
import type { MailMap } from '../../parts/mail/maps.ts'
import type { Run } from '../commands.ts'
import type { Reload } from '../reloads.ts'
import { dkimKeys, mapsDir, postfixMaps, submitDir } from './places.ts'

/** Where the rows of all accounts stand together. */
interface Target {
  readonly map: MailMap
  readonly path: string
  readonly mode: number
  readonly group?: string
  readonly compiled: boolean
}

const targets: readonly Target[] = [
  ...postfixMaps.map((map): Target => ({ map, path: `${mapsDir}/${map}`, mode: 0o644, compiled: true })),
  { map: 'nosubmit', path: `${submitDir}/nosubmit`, mode: 0o644, compiled: false },
  { map: 'dkimkeys', path: dkimKeys, mode: 0o640, group: 'opendkim', compiled: false },
]

const fragment = /^etc\/panel\/mail\/([a-z]+)\.d\/([^/]+)$/
const targetOf = (path: string): Target | undefined => targets.find(({ map }) => map === fragment.exec(path)?.[1])

export interface MapsOptions {
  readonly run: Run
  readonly groupId: (name: string) => number | undefined
  readonly root?: string
}

/** The maps that all accounts share, put together of each account's fragments. */
export class Maps {
  readonly #options: MapsOptions
  readonly #root: string
  /** What each account has in a map; read once, then kept up. */
  readonly #fragments = new Map<MailMap, Map<string, string>>()

  constructor(options: MapsOptions) {
    this.#options = options
    this.#root = options.root ?? '/'
  }

  /** Fragments have changed; they are read again. */
  changed(paths: readonly string[]): void {
    for (const path of paths) {
      const [, map, name] = fragment.exec(path) ?? []
      const known = this.#fragments.get(map as MailMap)
      if (known && name !== undefined) setOrDelete(known, name, textOf(join(this.#root, path)))
    }
  }

  /** Tells the daemon what has changed. */
  readonly reloads = (): Reload[] => [
    { name: 'postfix', reads: (path) => targetOf(path)?.compiled === true, run: () => this.#postfix() },
    {
      name: 'submitters',
      reads: (path) => targetOf(path)?.map === 'nosubmit',
      run: () => this.#bring(['nosubmit']).then(() => {}),
    },
    {
      name: 'opendkim',
      reads: (path) => targetOf(path)?.map === 'dkimkeys',
      run: () => this.#opendkim(),
    },
  ]

  async #postfix(): Promise<void> {
    await this.#bring(postfixMaps)
    await this.#options.run('/usr/sbin/postfix', ['reload'])
  }

  async #opendkim(): Promise<void> {
    if (!targets.some((target) => target.map === 'dkimkeys' && this.#isThere(target))) return
    await this.#bring(['dkimkeys'])
    await this.#options.run('/usr/bin/systemctl', ['reload', 'opendkim'])
  }

  /** Names those whose text is not that of the fragments. */
  stale(username?: string): string[] {
    const ofAll = targets.filter((target) => this.#isThere(target) && !this.#holds(target, username))
    return ofAll.map(({ path }) => path)
  }

  /** Has the reload that a map needs be done, whatever changed it. */
  pathsOfStale(): string[] {
    const found = this.stale()
    return targets.filter(({ path }) => found.includes(path)).map(({ map }) => `etc/panel/mail/${map}.d/_`)
  }

  #isThere = ({ path }: Target): boolean => existsSync(dirname(join(this.#root, path)))

  #holds({ map, path }: Target, username: string | undefined): boolean {
    const found = textOf(join(this.#root, path)) ?? ''
    if (username === undefined) return found === this.#textOf(map)
    return found.includes(this.#of(map).get(username) ?? '')
  }

  async #bring(maps: readonly MailMap[]): Promise<void> {
    for (const target of targets) if (maps.includes(target.map)) await this.#write(target)
  }

  async #write(target: Target): Promise<void> {
    const text = this.#textOf(target.map)
    const path = join(this.#root, target.path)
    if (!this.#isThere(target) || (textOf(path) === text && (!target.compiled || existsSync(`${path}.lmdb`)))) return
    const staged = join(dirname(path), `new-${target.map}`)
    put(staged, text, target.mode, target.group && this.#options.groupId(target.group))
    if (target.compiled) {
      rmSync(`${staged}.lmdb`, { force: true })
      await this.#options.run('/usr/sbin/postmap', [`lmdb:${staged}`])
      renameSync(`${staged}.lmdb`, `${path}.lmdb`)
    }
    renameSync(staged, path)
  }

  #textOf = (map: MailMap): string => assemble([...this.#of(map)].map(([name, content]) => ({ name, content })))

  #of(map: MailMap): Map<string, string> {
    const known = this.#fragments.get(map)
    if (known) return known
    const folder = join(this.#root, `etc/panel/mail/${map}.d`)
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
    const read = new Map(names.map((name) => [name, textOf(join(folder, name)) ?? '']))
    this.#fragments.set(map, read)
    return read
  }
}

function put(path: string, text: string, mode: number, gid: number | undefined | ''): void {
  mkdirSync(dirname(path), { recursive: true })
  rmSync(path, { force: true })
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  if (typeof gid === 'number') chownSync(path, 0, gid)
  chmodSync(path, mode)
}

function setOrDelete(all: Map<string, string>, name: string, text: string | undefined): void {
  if (text === undefined) all.delete(name)
  else all.set(name, text)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
