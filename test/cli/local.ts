import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ServeOptions } from '../../src/server/serve.ts'
import { place, type ServerProcess, startServer } from '../serve/server.ts'
import { ensureBuilt, inProcess, type Result } from './run.ts'

interface Local {
  readonly server: ServerProcess
  /** Runs a command line split at blanks, with further words as they are. */
  panel(line: string, ...words: string[]): Promise<Result>
  /** The same; returns its output. */
  succeeds(line: string, ...words: string[]): Promise<string>
}

/** Commands about servers of this machine, with a home directory for a file's tests. */
export function localCommands() {
  const home = mkdtempSync(join(tmpdir(), 'panel-cli-'))
  beforeAll(ensureBuilt)
  afterAll(() => rmSync(home, { recursive: true }))
  return {
    home,
    async start(options: Partial<ServeOptions> = {}, dir = place()): Promise<Local> {
      const server = await startServer(dir, { hostname: 'localhost', port: 0, logLevel: 'silent', ...options })
      const panel: Local['panel'] = (line, ...words) =>
        inProcess([...line.split(' '), ...words, '--data-dir', server.dir], { XDG_CONFIG_HOME: home })
      const succeeds: Local['succeeds'] = async (line, ...words) => {
        const { code, stdout, stderr } = await panel(line, ...words)
        expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
        return stdout
      }
      return { server, panel, succeeds }
    },
  }
}
