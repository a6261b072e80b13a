import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SetupContext } from '../../src/host/setup/context.ts'
import { SetupRecord } from '../../src/host/setup/record.ts'
import type { Facts } from '../../src/host/setup/step.ts'
import { tempDir } from '../host/helpers.ts'

export const facts: Facts = {
  suite: { name: 'Debian 13', codename: 'trixie', php: '8.4', dovecot: '2.4', http2: 'directive' },
  hostname: 'host.example',
  port: 7711,
  nodePort: 7712,
  without: new Set(),
  php: [],
  spam: true,
  isNode: false,
}

export interface Bench extends SetupContext {
  /** The programs that were run, with their arguments. */
  readonly ran: string[]
  readonly output: string[]
  /** A later run, with what this one recorded. */
  again(): Bench
}

type Answers = (command: string) => string | undefined

/** A machine below a directory, whose programs answer what the test sets. */
export function bench(answers: Answers = () => '', root = tempDir()): Bench {
  const [ran, output]: string[][] = [[], []]
  return {
    root,
    ran: ran!,
    output: output!,
    record: new SetupRecord(root),
    own: () => {},
    say: (line) => void output!.push(line),
    run: async (program, words) => {
      const command = [program, ...words].join(' ')
      ran!.push(command)
      const answer = answers(command)
      if (answer === undefined) throw new Error(`${program} failed: as the test wants it`)
      return answer
    },
    again: () => bench(answers, root),
  }
}

export function has(root: string, path: string, content = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
