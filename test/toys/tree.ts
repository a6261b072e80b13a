import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { migrations } from '../stored.ts'

const root = join(import.meta.dirname, '../..')
const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'files', `${name}.txt`), 'utf8')
const number = String(migrations.length + 1).padStart(4, '0')

/** The new files of an area, by path. */
export const added: Readonly<Record<string, string>> = {
  'src/contract/toys.ts': fixture('contract'),
  'src/areas/toys/index.ts': fixture('index'),
  'src/areas/toys/operations.ts': fixture('operations'),
  'src/areas/toys/tables.ts': fixture('tables'),
  'src/areas/toys/migrations.ts': fixture('migrations').replace('NUMBER', number),
  'src/host/parts/toys.ts': fixture('part'),
  'test/fixtures/toys.ts': fixture('given'),
}

/** Text to insert into files that all areas share, and the text before which it goes. */
export const entries: Readonly<Record<string, readonly (readonly [text: string, before: string])[]>> = {
  'src/contract/index.ts': [
    ["import * as toys from './toys.ts'\n", "import * as webhooks from './webhooks.ts'\n"],
    ['  ...operationsOf(toys),\n', '  ...operationsOf(webhooks),\n'],
  ],
  'src/contract/areas.ts': [["  toys: 'Toys of an account.',\n", "  apps: '"]],
  'src/areas/index.ts': [
    ["import { toys } from './toys/index.ts'\n", "import { webhooks } from './webhooks/index.ts'\n"],
    ['  toys,\n', '  webhooks,\n'],
  ],
  'src/host/parts/index.ts': [
    ["import { toys } from './toys.ts'\n", "import { users } from './users.ts'\n"],
    [', toys', '] as const'],
  ],
  'test/matrix/expected.ts': [[fixture('expected'), '\nlistAudit ']],
}

interface Results {
  readonly testResults: {
    readonly name: string
    readonly assertionResults: { readonly fullName: string; readonly status: string }[]
  }[]
}

/** A copy of the panel's sources in a separate directory. */
export class Tree {
  readonly dir = mkdtempSync(join(tmpdir(), 'panel-tree-'))

  constructor() {
    for (const folder of ['src', 'test']) cpSync(join(root, folder), join(this.dir, folder), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(this.dir, 'node_modules'))
    const config = {
      extends: join(root, 'tsconfig.json'),
      include: ['src'],
      exclude: ['src/web/browser', 'src/areas/*/browser'],
    }
    writeFileSync(join(this.dir, 'tsconfig.json'), JSON.stringify(config))
    // What its tests read of the build is the same, and there: they build nothing.
    symlinkSync(join(root, 'dist'), join(this.dir, 'dist'))
    for (const file of ['package.json', 'vitest.config.ts', 'packaging/browser.mjs'])
      cpSync(join(root, file), join(this.dir, file))
    this.write('vitest.config.ts', this.read('vitest.config.ts').replace(/^.*globalSetup.*\n/m, ''))
  }

  read = (path: string): string => readFileSync(join(this.dir, path), 'utf8')

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true })
    writeFileSync(join(this.dir, path), text)
  }

  enter(path: string): void {
    this.write(path, entries[path]!.reduce(insert, this.read(path)))
  }

  /** Removes an area's entries from a text again, to see what breaks. */
  without = (path: string): string => entries[path]!.reduce((text, [line]) => text.replace(line, ''), this.read(path))

  /** The names of failing tests among those matching a pattern, by file. */
  async failing(pattern: string, files: readonly string[]): Promise<Map<string, string[]>> {
    const output = await this.#run('vitest', ['run', ...files, '-t', pattern, '--reporter', 'json'])
    const { testResults } = JSON.parse(output.slice(output.indexOf('{'))) as Results
    return new Map(
      testResults.map(({ name, assertionResults }) => [
        relative(this.dir, name),
        assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
      ]),
    )
  }

  #run(tool: string, words: string[]): Promise<string> {
    const options = { cwd: this.dir, maxBuffer: 1e8, env: { ...process.env, NO_COLOR: '1' } }
    return promisify(execFile)(join(root, 'node_modules/.bin', tool), words, options).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
  }

  /** Compile errors: the file and the messages. */
  async errors(): Promise<Map<string, string>> {
    const output = await this.#run('tsc', ['-p', '.', '--pretty', 'false', '--singleThreaded'])
    const found = new Map<string, string>()
    for (const [, file, text] of output.matchAll(/^(\S+?)\(\d+,\d+\): error ([\s\S]*?)(?=^\S|$(?![\s\S]))/gm))
      found.set(file!, (found.get(file!) ?? '') + text)
    return found
  }
}

function insert(text: string, [line, before]: readonly [string, string]): string {
  const at = text.indexOf(before)
  if (at < 0) throw new Error(`There is no ${before} any more to go before`)
  return text.slice(0, at) + line + text.slice(at)
}
