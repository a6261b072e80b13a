import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isIgnored, readIgnoreFile } from '../../src/cli/run/ignore-rules.ts'
import { packDirectory } from '../../src/cli/run/pack-directory.ts'
import { runs } from '../fuzz.ts'

function folderOf(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'dir-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

const listed = (file: string): string[] =>
  execFileSync('tar', ['-tzf', file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C.UTF-8' } })
    .split('\n')
    .filter((name) => name !== '' && !name.endsWith('/'))
    .sort()

describe('a directory is packed by its .gitignore', () => {
  test('as git would commit it', async () => {
    const long = `${'d'.repeat(90)}/${'f'.repeat(90)}.txt`
    const dir = folderOf({
      '.gitignore': 'dist\n*.log\n!keep.log\n/secret\nnode_modules/\n.env*\n!.env.example\n',
      'index.html': 'hi',
      'keep.log': '',
      'a.log': '',
      'dist/x.js': '',
      'src/dist/x.js': '',
      'src/secret': '',
      secret: '',
      '.env': 'KEY=1',
      '.env.example': '',
      'node_modules/x/index.js': '',
      '.git/config': '',
      'src/.gitignore': 'local\n',
      'src/local': '',
      local: '',
      [long]: 'long',
      'ünïcode.txt': '',
    })
    symlinkSync('index.html', join(dir, 'home.html'))
    const packed = await packDirectory(dir)
    onTestFinished(() => packed.remove())
    expect(listed(packed.file)).toEqual(
      [
        ...['.env.example', '.gitignore', long, 'home.html', 'index.html', 'keep.log', 'local', 'src/.gitignore'],
        ...['src/secret', 'ünïcode.txt'],
      ].sort(),
    )
    expect(packed.leftOut).toEqual(
      expect.arrayContaining(['.env', '.git', 'a.log', 'dist', 'node_modules', 'secret', 'src/dist', 'src/local']),
    )
  })

  test('an empty or missing directory, and a file, are refused', async () => {
    await expect(packDirectory(folderOf({ '.git/x': '' }))).rejects.toThrow('has no files to deploy: .git is left out')
    const missing = join(folderOf({ x: '' }), 'missing')
    await expect(packDirectory(missing)).rejects.toThrow(missing)
    await expect(packDirectory(join(folderOf({ x: '' }), 'x'))).rejects.toThrow('is not a directory')
  })

  test.each([
    ['a**/*', ['a', 'ab', 'ab/c'], ['b', 'b/a']],
    ['x/a**', ['x/a', 'x/ab/c'], ['x/b', 'a']],
    ['***/a', ['a', 'b/c/a'], ['b']],
    ['b/***', ['b/c'], ['a/b']],
    ['/**a', ['a', 'ba'], ['ab/a', 'b']],
    ['!a**\n*', ['a', 'b/c'], []],
  ])('the asterisks of %j begin after the text before them', (text, ignored, others) => {
    const files = [readIgnoreFile('', text)]
    for (const path of ignored) expect([path, isIgnored(files, path, false)]).toEqual([path, true])
    for (const path of others) expect([path, isIgnored(files, path, false)]).toEqual([path, false])
  })

  test('rules mean what they mean to git', () => {
    const dir = folderOf({})
    execFileSync('git', ['init', '-q', dir])
    const part = fc.constantFrom('a', 'b', '*', '**', '/', '?', '[ab]', '[!a]', '.', '\\*', 'ab', '!', '#', ' ')
    const rule = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'a.b', '*'), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/'))
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 3 }), path, (rules, name) => {
        writeFileSync(join(dir, '.gitignore'), `${rules.join('\n')}\n`)
        const options = { input: `${name}\0`, cwd: dir, encoding: 'utf8' } as const
        const git = spawnSync('git', ['check-ignore', '--no-index', '--stdin', '-z'], options).stdout !== ''
        const files = [readIgnoreFile('', `${rules.join('\n')}\n`)]
        const names = name.split('/')
        const above = names.slice(0, -1).some((_, at) => isIgnored(files, names.slice(0, at + 1).join('/'), true))
        expect([rules, name, above || isIgnored(files, name, false)]).toEqual([rules, name, git])
      }),
      runs(400),
    )
  })
})
