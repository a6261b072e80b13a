// npm run test:area -- dns [words for vitest]: every test of an area, and those of its pages.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [area = '', ...words] = process.argv.slice(2)

const testsBelow = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))

if (!/^[\w-]+$/.test(area) || !existsSync(join(root, 'test', area))) {
  process.stderr.write(`error: test/${area} is not a folder of tests\nhint: npm run test:area -- dns\n`)
  process.exit(2)
}
const isOfArea = (file) => new RegExp(`^${area}(-.+)?\\.test\\.ts$`).test(basename(file))
const pages = area === 'web' ? [] : testsBelow('test/web').filter(isOfArea)
const files = [...testsBelow(join('test', area)), ...pages]
const { status } = spawnSync('vitest', ['run', ...files, ...words], { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
