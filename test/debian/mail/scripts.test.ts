import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/host/debian/commands.ts'
import { scriptCheck } from '../../../src/host/debian/mail/scripts.ts'
import { systemFile } from '../../../src/host/parts/spec.ts'
import { tempDir } from '../../host/helpers.ts'

const path = 'etc/panel/mail/sieve.d/bob/x.sieve'

function staged(text: string) {
  const folder = join(tempDir(), 'sieve')
  mkdirSync(folder)
  writeFileSync(join(folder, '.x.sieve.panel-new'), text)
  return { path, staged: join(folder, '.x.sieve.panel-new'), file: systemFile(path, 0o640, [text]) }
}

test.skipIf(!existsSync('/usr/bin/sievec'))(
  'a script is compiled before it is installed, and an invalid one is refused',
  async () => {
    const check = scriptCheck(run)
    const good = staged('require ["vacation"];\nvacation "x";\n')
    await check(good)
    expect(existsSync(`${good.staged}.svbin`)).toBe(false)
    await expect(check(staged('vacation "x";\n'))).rejects.toMatchObject({ stage: 'precheck' })
  },
)

test('identical scripts are compiled once, and refused ones are checked again', async () => {
  const validated: string[] = []
  let isBad = false
  const check = scriptCheck(async (_, [script]) => {
    validated.push(basename(dirname(dirname(script!))))
    return isBad ? Promise.reject(new Error('line 1')) : ''
  })
  const [one, same, other] = [staged('keep;'), staged('keep;'), staged('stop;')]
  await check(one)
  await check(same)
  isBad = true
  await expect(check(other)).rejects.toThrow('line 1')
  isBad = false
  await check(other)
  expect(validated).toEqual([one, other, other].map((file) => basename(dirname(dirname(file.staged)))))
})
