import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Doing, HostTrashItem } from './driver.ts'
import { Directory, holding } from './home/directory.ts'
import { removeAll } from './home/remove.ts'
import { Leisure } from './leisure.ts'
import { measure } from './measure/walk.ts'

/** What is being removed: it is no item any more, and goes with the next round. */
const going = 'gone.'
const named = /-([0-9A-HJKMNP-TV-Z]{26})(?:-logs)?$/
const dated = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/

interface Entry {
  readonly id: string
  readonly name: string
  readonly deletedAt: number
}

/** What was moved aside when accounts and mailboxes were deleted. A home and its logs are one item. */
export class HostTrash {
  readonly #place: string
  /** By name: nothing in the trash changes. */
  readonly #sizes = new Map<string, number>()

  constructor(place: string) {
    this.#place = place
  }

  /** The oldest first. */
  async list(measured: boolean, signal?: AbortSignal): Promise<HostTrashItem[]> {
    const items: HostTrashItem[] = []
    for (const [id, entries] of await this.#items()) {
      const sizes: number[] = []
      for (const { name } of measured ? entries : []) sizes.push(await this.#sizeOf(name, signal))
      const size = sizes.reduce((sum, one) => sum + one, 0)
      items.push({ id, path: join(this.#place, entries[0]!.name), size, deletedAt: entries[0]!.deletedAt })
    }
    return items.sort((one, other) => one.deletedAt - other.deletedAt)
  }

  /** Removes for good, and without haste, what was deleted before a moment. */
  async empty(before: number, { signal, progress }: Doing = {}): Promise<{ removed: number }> {
    const gone = [...(await this.#items()).values()].filter(([first]) => first!.deletedAt < before)
    if (!(await this.#isThere())) return { removed: 0 }
    await holding(Directory.at(this.#place), async (trash) => {
      for (const { name } of gone.flat()) await trash.rename(Buffer.from(name), trash, Buffer.from(`${going}${name}`))
      const leisure = new Leisure(signal)
      const left = (await readdir(this.#place)).filter((name) => name.startsWith(going))
      for (const [at, name] of left.entries()) {
        await removeAll(trash, Buffer.from(name), signal, () => leisure.step())
        this.#sizes.delete(name.slice(going.length))
        progress?.(`${name.slice(going.length)} was removed`, (at + 1) / left.length)
      }
    })
    return { removed: gone.length }
  }

  async #items(): Promise<Map<string, Entry[]>> {
    const items = new Map<string, Entry[]>()
    const names = (await this.#isThere()) ? (await readdir(this.#place)).sort() : []
    for (const name of names) {
      const entry = await this.#entryOf(name)
      if (entry) items.set(entry.id, [...(items.get(entry.id) ?? []), entry])
    }
    return items
  }

  /** What has another name is not the panel's. */
  async #entryOf(name: string): Promise<Entry | undefined> {
    const id = name.startsWith(going) ? undefined : named.exec(name)?.[1]
    const stats = id && (await lstat(join(this.#place, name)).catch(() => undefined))
    return id && stats ? { id, name, deletedAt: timeIn(name) ?? Math.trunc(stats.ctimeMs) } : undefined
  }

  async #sizeOf(name: string, signal: AbortSignal | undefined): Promise<number> {
    const size = this.#sizes.get(name) ?? (await measure(join(this.#place, name), undefined, signal)).bytes
    this.#sizes.set(name, size)
    return size
  }

  #isThere(): Promise<boolean> {
    return lstat(this.#place).then(
      () => true,
      () => false,
    )
  }
}

function timeIn(name: string): number | undefined {
  const [, year, month, day, ...time] = (dated.exec(name) ?? []).map(Number)
  const [hour, minute, second] = time
  return year === undefined ? undefined : Date.UTC(year, month! - 1, day!, hour!, minute!, second!)
}
