import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, programs } from './programs.ts'
import { startStub } from './stub.ts'

// Starts panel and other command lines that are npm packages side by side: processor time of each, and ratios.

const rounds = Number(process.argv[2] ?? 9)
const timeoutMs = 60_000

/** Where none of them finds settings, nor leaves any. */
const home = mkdtempSync(join(tmpdir(), 'panel-bench-'))

interface Case {
  readonly what: string
  readonly program: Program | undefined
  readonly words: readonly string[]
}

const cases = (all: readonly Program[]): Case[] => [
  { what: 'node -e 0', program: undefined, words: ['-e', '0'] },
  ...all.flatMap((program) => [
    { what: '--version', program, words: [program.file, '--version'] },
    { what: '--help', program, words: [program.file, '--help'] },
    { what: 'list', program, words: [program.file, ...program.list] },
  ]),
]

/** The median of the processor time of each case, in milliseconds; the rounds go through all of them. */
async function measure(all: readonly Case[]): Promise<Map<string, number>> {
  const times = new Map(all.map((one) => [keyOf(one), [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const one of all) {
      const time = await processorTime(one)
      // The first round fills caches.
      if (round > 0) times.get(keyOf(one))?.push(time)
    }
  }
  return new Map([...times].map(([key, list]) => [key, median(list)]))
}

const keyOf = ({ what, program }: Case): string => `${program?.name ?? 'node'} ${what}`

const median = (list: number[]): number => list.sort((one, other) => one - other)[Math.floor(list.length / 2)] ?? 0

/** As bash tells it. In an environment of its own: what others set for Node would be measured too. */
async function processorTime({ words, program }: Case): Promise<number> {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>"$ERRORS"'
  const env = { PATH: process.env['PATH'], HOME: home, LC_ALL: 'C', ERRORS: join(home, 'errors'), ...program?.env }
  const { stderr, status } = await run(['-c', script, 'bash', process.execPath, ...words], env)
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}; see what it says with HOME=${home}`)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return (user + system) * 1000
}

/** The stub lives in this process, so that waiting must not block it. */
async function run(words: string[], env: NodeJS.ProcessEnv): Promise<{ stderr: string; status: number | null }> {
  const child = spawn('bash', words, { env, cwd: home, stdio: ['ignore', 'ignore', 'pipe'], timeout: timeoutMs })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { stderr, status }
}

function print(all: readonly Program[], measured: ReadonlyMap<string, number>): void {
  const node = measured.get('node node -e 0') ?? 0
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell, at) => (at === 0 ? cell.padEnd(12) : cell.padStart(26))).join('')}\n`
  process.stdout.write(
    `Processor time, median of ${rounds} rounds; node -e 0: ${node.toFixed(0)} ms (Node ${process.versions.node})\n\n`,
  )
  process.stdout.write(line(['', ...all.map(({ name, version }) => `${name} ${version}`)]))
  for (const what of ['--version', '--help', 'list']) {
    const own = measured.get(`panel ${what}`) ?? 0
    const cells = all.map(({ name }) => {
      const time = measured.get(`${name} ${what}`) ?? 0
      const ratio = name === 'panel' ? `${(time / node).toFixed(2)}x node` : `${(time / own).toFixed(1)}x panel`
      return `${time.toFixed(0)} ms, ${ratio}`
    })
    process.stdout.write(line([what, ...cells]))
  }
}

const { url, close } = await startStub()
try {
  const all = programs(url)
  const measured = await measure(cases(all))
  print(all, measured)
} finally {
  close()
  rmSync(home, { recursive: true, force: true })
}
