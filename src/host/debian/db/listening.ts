import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { KeyedLock } from '../../../shared/lock.ts'
import type { Run } from '../commands.ts'
import type { Reload } from '../reloads.ts'
import { writeFile } from '../write-file.ts'

const file = 'etc/mysql/mariadb.conf.d/91-panel-listen.cnf'

const contentOf = (isPublic: boolean): string => `[mariadbd]\nbind-address = ${isPublic ? '*' : '127.0.0.1'}\n`

/** MariaDB changes its addresses only on restart. */
export const mariadbRestart = (run: Run): Reload => ({
  name: 'mariadb',
  reads: (path) => path === file,
  run: async () => void (await run('/usr/bin/systemctl', ['restart', 'mariadb'])),
})

interface ListeningReport {
  note(paths: readonly string[]): void
  settle(paths: readonly string[]): Promise<void>
}

/** MariaDB's addresses: loopback only, or all of the machine's. */
export class Listening {
  readonly #input: ListeningReport
  readonly #path: string
  readonly #lock = new KeyedLock()

  constructor(input: ListeningReport, root = '/') {
    this.#input = input
    this.#path = `${root}${file}`
  }

  set(isPublic: boolean): Promise<void> {
    return this.#lock.run('', async () => {
      if (!existsSync(dirname(this.#path)) || this.#isSet(contentOf(isPublic))) return
      this.#input.note([file])
      writeFile(this.#path, contentOf(isPublic), 0o644)
      await this.#input.settle([file])
    })
  }

  #isSet(content: string): boolean {
    return existsSync(this.#path) && readFileSync(this.#path, 'utf8') === content
  }
}
