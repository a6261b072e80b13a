import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Doing, HostTrashItem } from '../contract/driver.ts'
import { HostError } from '../contract/error.ts'
import { asHostError } from '../install/user-message.ts'
import { measure } from '../measure/walk.ts'
import { Directory, holding } from './home/directory.ts'
import { removalPrefix as going, removeAll } from './home/remove.ts'

const workFor = 20
const restFor = 60

/** Leaves most of a disk's time to others: pauses after each short burst of work. */
class Throttle {
  readonly #signal: AbortSignal | undefined
  #began = performance.now()

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  async step(): Promise<void> {
    if (performance.now() - this.#began < workFor) return
    await pause(restFor, undefined, this.#signal ? { signal: this.#signal } : {})
    this.#began = performance.now()
  }
}

const named = /-([0-9A-HJKMNP-TV-Z]{26})(?:-logs)?$/
const dated = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/

interface TrashEntry {
  readonly id: string
  readonly place: string
  readonly name: string
  readonly deletedAt: number
}

/** The trash of deleted accounts. A home and its logs are one item. */
export class HostTrash {
  readonly #places: readonly string[]
  /** Cached by path: nothing in the trash changes. */
  readonly #sizes = new Map<string, number>()

  /** The homes' trash comes first, so that an item's path is that of its home. */
  constructor(places: readonly string[]) {
    this.#places = places
  }

  /** The oldest first. */
  async list(measured: boolean, signal?: AbortSignal): Promise<HostTrashItem[]> {
    const items: HostTrashItem[] = []
    for (const [id, entries] of await this.#items()) {
      const sizes: number[] = []
      const paths = entries.map(({ place, name }) => join(place, name))
      for (const path of measured ? paths : []) sizes.push(await this.#sizeOf(path, signal))
      const size = sizes.reduce((sum, one) => sum + one, 0)
      items.push({ id, path: paths[0]!, size, deletedAt: entries[0]!.deletedAt })
    }
    return items.sort((one, other) => one.deletedAt - other.deletedAt)
  }

  /**
   * Permanently removes, at low priority, what was deleted before a given time. An entry that cannot be removed holds up
   * no other; renamed, it is no longer listed, and the next round tries it again.
   */
  async empty(before: number, doing: Doing = {}): Promise<{ removed: number }> {
    const expired = [...(await this.#items()).values()].filter(([first]) => first!.deletedAt < before)
    const failures: string[] = []
    for (const place of this.#places) {
      const entries = expired.flat().filter((entry) => entry.place === place)
      if (await isThere(place)) failures.push(...(await this.#remove(place, entries, doing)))
    }
    if (failures.length > 0)
      throw new HostError('remove', `${failures.length} entries of the trash could not be removed: ${failures[0]}`)
    return { removed: expired.length }
  }

  /** Returns why entries could not be removed. */
  #remove(place: string, expired: readonly TrashEntry[], { signal, progress }: Doing): Promise<string[]> {
    return holding(Directory.at(place), async (trash) => {
      for (const { name } of expired) await trash.rename(Buffer.from(name), trash, Buffer.from(`${going}${name}`))
      const failures: string[] = []
      const throttle = new Throttle(signal)
      const left = (await readdir(place)).filter((name) => name.startsWith(going))
      for (const [at, name] of left.entries()) {
        const originalName = name.slice(going.length)
        const failure = await failureOf(removeAll(trash, Buffer.from(name), { signal, step: () => throttle.step() }))
        signal?.throwIfAborted()
        this.#sizes.delete(join(place, originalName))
        if (failure !== undefined) failures.push(`${originalName}: ${failure}`)
        progress?.(`${originalName} ${failure === undefined ? 'was' : 'could not be'} removed`, (at + 1) / left.length)
      }
      return failures
    })
  }

  async #items(): Promise<Map<string, TrashEntry[]>> {
    const items = new Map<string, TrashEntry[]>()
    for (const place of this.#places)
      for (const name of (await isThere(place)) ? (await readdir(place)).sort() : []) {
        const entry = await entryOf(place, name)
        if (entry) items.set(entry.id, [...(items.get(entry.id) ?? []), entry])
      }
    return items
  }

  async #sizeOf(path: string, signal: AbortSignal | undefined): Promise<number> {
    const size = this.#sizes.get(path) ?? (await measure(path, undefined, signal)).bytes
    this.#sizes.set(path, size)
    return size
  }
}

/** Entries with other names are not the panel's. */
async function entryOf(place: string, name: string): Promise<TrashEntry | undefined> {
  const id = name.startsWith(going) ? undefined : named.exec(name)?.[1]
  const stats = id && (await lstat(join(place, name)).catch(() => undefined))
  return id && stats ? { id, place, name, deletedAt: timeIn(name) ?? Math.trunc(stats.ctimeMs) } : undefined
}

const isThere = (place: string): Promise<boolean> =>
  lstat(place).then(
    () => true,
    () => false,
  )

function timeIn(name: string): number | undefined {
  const [, year, month, day, ...time] = (dated.exec(name) ?? []).map(Number)
  const [hour, minute, second] = time
  return year === undefined ? undefined : Date.UTC(year, month! - 1, day!, hour!, minute!, second!)
}

/** Why work failed, if it did. */
const failureOf = (work: Promise<void>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => asHostError('remove', error).message,
  )
