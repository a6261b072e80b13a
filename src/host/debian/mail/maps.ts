import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { MailMap } from '../../parts/mail/maps.ts'
import { modeOf, postfixMaps, relaySendersMap } from '../../parts/mail/maps.ts'
import type { Run } from '../commands.ts'
import { Fragments, textOf } from '../fragments.ts'
import type { Reload } from '../reloads.ts'
import type { Suite } from '../suite.ts'
import { writeNew } from '../write-file.ts'
import { reloadOpendkim, reloadPostfix } from './daemons.ts'
import { areNamesStale, localNames, reloadDovecotNames } from './local-names.ts'
import { dkimKeys, mapsDir, namesMap, seals, submitDir } from './places.ts'

/** Where all accounts' rows are combined. */
interface MapTarget {
  readonly map: MailMap | typeof namesMap
  readonly path: string
  readonly mode: number
  readonly group?: string
  readonly compiled: boolean
  /** Its values name files, whose text it holds. */
  readonly ofFiles?: true
}

const targets: readonly MapTarget[] = [
  ...postfixMaps.map((map): MapTarget => ({ map, path: `${mapsDir}/${map}`, mode: modeOf(map), compiled: true })),
  { map: relaySendersMap, path: `${mapsDir}/${relaySendersMap}`, mode: 0o644, compiled: false },
  { map: namesMap, path: `${mapsDir}/${namesMap}`, mode: 0o600, compiled: true, ofFiles: true },
  { map: 'nosubmit', path: `${submitDir}/nosubmit`, mode: 0o644, compiled: false },
  { map: 'dkimkeys', path: dkimKeys, mode: 0o640, group: 'opendkim', compiled: false },
  { map: 'seals', path: seals, mode: 0o640, group: 'opendkim', compiled: false },
]

const fragment = /^etc\/panel\/mail\/([a-z]+)\.d\/([^/]+)$/
const targetOf = (path: string): MapTarget | undefined => targets.find(({ map }) => map === fragment.exec(path)?.[1])

const isOfPostfix = (target: MapTarget | undefined): boolean =>
  target !== undefined && target.map !== namesMap && (target.compiled || target.map === relaySendersMap)

export interface MapsOptions {
  readonly run: Run
  readonly groupId: (name: string) => number | undefined
  readonly root?: string
  /** Without it Dovecot is told no names. */
  readonly dovecot?: Suite['dovecot'] | undefined
}

/** The maps that all accounts share, assembled from their fragments. */
export class Maps {
  readonly #options: MapsOptions
  readonly #root: string
  readonly #fragments = new Map<MapTarget['map'], Fragments>()

  constructor(options: MapsOptions) {
    this.#options = options
    this.#root = options.root ?? '/'
  }

  /** Rereads fragments that have changed. */
  changed(paths: readonly string[]): void {
    for (const path of paths) {
      const [, map, name] = fragment.exec(path) ?? []
      if (name !== undefined) this.#fragments.get(map as MapTarget['map'])?.changed(name)
    }
  }

  /** Notifies the daemons of changes. */
  readonly reloads = (): Reload[] => [
    { name: 'postfix', reads: (path) => isOfPostfix(targetOf(path)), run: () => this.#postfix() },
    { name: 'mail-names', reads: (path) => targetOf(path)?.map === namesMap, run: () => this.#names() },
    {
      name: 'submitters',
      reads: (path) => targetOf(path)?.map === 'nosubmit',
      run: () => this.#apply(['nosubmit']).then(() => {}),
    },
    {
      name: 'opendkim',
      reads: (path) => targetOf(path)?.map === 'dkimkeys',
      run: () => this.#opendkim(),
    },
    // rspamd looks at it from time to time.
    { name: 'seals', reads: (path) => targetOf(path)?.map === 'seals', run: () => this.#apply(['seals']) },
  ]

  async #names(): Promise<void> {
    const { run, dovecot } = this.#options
    await this.#apply([namesMap])
    await reloadPostfix(run, this.#root)
    if (dovecot) await reloadDovecotNames(run, this.#root, localNames(this.#of(namesMap).text(), dovecot))
  }

  async #postfix(): Promise<void> {
    await this.#apply([...postfixMaps, relaySendersMap])
    await reloadPostfix(this.#options.run, this.#root)
  }

  async #opendkim(): Promise<void> {
    if (!targets.some((target) => target.map === 'dkimkeys' && this.#isThere(target))) return
    await this.#apply(['dkimkeys'])
    await reloadOpendkim(this.#options.run, this.#root)
  }

  /** Returns the maps that do not match the fragments. */
  stale(username?: string): string[] {
    const ofAll = targets.filter((target) => this.#isThere(target) && !this.#holds(target, username))
    return ofAll.map(({ path }) => path)
  }

  /** Returns the paths of stale maps, so that their reload runs whatever changed them. */
  pathsOfStale(): string[] {
    const found = this.stale()
    const stale = targets.filter(({ path, map }) => found.includes(path) || (map === namesMap && this.#areNamesStale()))
    return stale.map(({ map }) => `etc/panel/mail/${map}.d/_`)
  }

  #areNamesStale(): boolean {
    const { dovecot } = this.#options
    return dovecot !== undefined && areNamesStale(this.#root, localNames(this.#of(namesMap).text(), dovecot))
  }

  #isThere = ({ path }: MapTarget): boolean => existsSync(dirname(join(this.#root, path)))

  #holds({ map, path }: MapTarget, username: string | undefined): boolean {
    const found = textOf(join(this.#root, path)) ?? ''
    if (username === undefined) return found === this.#of(map).text()
    return found.includes(this.#of(map).of(username))
  }

  async #apply(maps: readonly MapTarget['map'][]): Promise<void> {
    const stale = targets.filter((target) => maps.includes(target.map) && this.#isStale(target))
    for (const target of stale) this.#stage(target)
    for (const ofFiles of [false, true]) await this.#compile(stale.filter((one) => (one.ofFiles ?? false) === ofFiles))
    for (const target of stale) this.#putInPlace(target)
  }

  async #compile(some: readonly MapTarget[]): Promise<void> {
    const paths = some.filter(({ compiled }) => compiled).map((one) => `lmdb:${this.#stagedOf(one)}`)
    if (paths.length === 0) return
    await this.#options.run('/usr/sbin/postmap', [...(some[0]!.ofFiles ? ['-F'] : []), ...paths])
  }

  #isStale(target: MapTarget): boolean {
    const path = join(this.#root, target.path)
    if (!this.#isThere(target)) return false
    return textOf(path) !== this.#of(target.map).text() || (target.compiled && !existsSync(`${path}.lmdb`))
  }

  #stagedOf = ({ map, path }: MapTarget): string => join(this.#root, dirname(path), `new-${map}`)

  #stage(target: MapTarget): void {
    const { map, mode, group } = target
    const gid = group === undefined ? undefined : this.#options.groupId(group)
    rmSync(`${this.#stagedOf(target)}.lmdb`, { force: true })
    writeNew(this.#stagedOf(target), this.#of(map).text(), mode, gid)
  }

  #putInPlace(target: MapTarget): void {
    const [staged, path] = [this.#stagedOf(target), join(this.#root, target.path)]
    if (target.compiled) renameSync(`${staged}.lmdb`, `${path}.lmdb`)
    renameSync(staged, path)
  }

  #of(map: MapTarget['map']): Fragments {
    const known = this.#fragments.get(map) ?? new Fragments(join(this.#root, `etc/panel/mail/${map}.d`))
    this.#fragments.set(map, known)
    return known
  }
}
