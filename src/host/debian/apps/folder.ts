import { chmod, chown, lchown, lstat, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { appSocket, RunFolder } from '../../apps/sockets.ts'
import { HostError } from '../../contract/error.ts'
import { Directory, holding } from '../../homes/home/directory.ts'
import { removeAll } from '../../homes/home/remove.ts'
import { groupId } from '../names.ts'

const staged = '.app.sock.panel-new'

/**
 * The sockets of an app that runs as its account's user. Each release has a directory that only its user can enter; all
 * else here belongs to root, and the serving socket is moved here, where nginx and that user can connect to it.
 */
export class OwnedFolder extends RunFolder {
  override async make(label?: string, owner?: number): Promise<void> {
    await mkdir(this.path, { recursive: true })
    await chmod(dirname(this.path), 0o711)
    await chmod(this.path, 0o711)
    if (label === undefined || owner === undefined) return
    await this.drop(label)
    await mkdir(this.at(label), { mode: 0o700 })
    await chown(this.at(label), owner, owner)
  }

  protected override socketName(label: string): string {
    return join(label, 'sock')
  }

  override note(label: string): string {
    return this.at(`${label}.json`)
  }

  launch(label: string): string {
    return this.at(`${label}.launch`)
  }

  override async clear(label: string): Promise<void> {
    for (const name of [`${label}.json`, `${label}.launch`, label]) await this.drop(name)
  }

  /**
   * Checked where its owner can no longer replace it. A socket is the only thing a tenant made whose group and mode root
   * changes: it holds no bytes, and under a second name it leads nowhere but to the tenant's own program.
   */
  override async showAs(path: string, owner: number): Promise<void> {
    const mine = this.at(staged)
    await this.drop(staged)
    try {
      await rename(path, mine)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && (await isSocketOf(this.at(appSocket), owner))) return
      throw error
    }
    if (!(await isSocketOf(mine, owner))) {
      await this.drop(staged)
      throw new HostError('stage', 'The path in PORT is not a socket of the account.')
    }
    await lchown(mine, owner, groupId('www-data') ?? owner)
    await chmod(mine, 0o660)
    await rename(mine, this.at(appSocket))
  }

  /** Does not follow what its user created below it. */
  override async drop(name: string): Promise<void> {
    const folder = await Directory.at(this.path).catch(() => undefined)
    if (folder) await holding(Promise.resolve(folder), (current) => removeAll(current, Buffer.from(name)))
  }

  override async remove(): Promise<void> {
    const above = await Directory.at(dirname(this.path)).catch(() => undefined)
    const name = Buffer.from(this.path.slice(dirname(this.path).length + 1))
    if (above) await holding(Promise.resolve(above), (current) => removeAll(current, name))
  }
}

const isSocketOf = async (path: string, owner: number): Promise<boolean> => {
  const stats = await lstat(path).catch(() => undefined)
  return (stats?.isSocket() ?? false) && stats?.uid === owner
}
