import { expect, test } from 'vitest'
import { inProcess } from './run.ts'

const id = '01K9ZQ5T3M8V4X7C2B6N1D0001'
const env = { PANEL_URL: 'http://127.0.0.1:9', PANEL_TOKEN: 'none', PANEL_NO_INPUT: '1', PANEL_OUTPUT: 'json' }

test.each([
  [
    ['--paths', 'a,b'],
    ['a', 'b'],
  ],
  [
    ['--paths', 'a\\,b,c'],
    ['a,b', 'c'],
  ],
  [
    ['--paths', 'a,b', '--paths', 'c'],
    ['a,b', 'c'],
  ],
  [['--path', 'a, b'], ['a, b']],
  [
    ['--path', 'a,b', '--path', 'c', '--paths', 'd,e'],
    ['d', 'e', 'a,b', 'c'],
  ],
])('paths with commas: %j', async (options, paths) => {
  const restore = ['backups', 'restore', id, '-a', id, ...options, '--yes', '--dry-run']
  expect(JSON.parse((await inProcess(restore, env)).stdout).body).toEqual({ paths })
})

test('paths that are named one by one leave the argument to what follows them', async () => {
  const archive = ['files', 'archive', 'x.zip', '-a', id, '--path', 'a,b', '--format', 'zip', '--dry-run']
  const { stdout, stderr } = await inProcess(archive, env)
  expect([stderr, JSON.parse(stdout).body]).toEqual(['', { paths: ['a,b'], to: 'x.zip', format: 'zip' }])
})
