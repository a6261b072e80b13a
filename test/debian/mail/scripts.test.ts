import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/host/debian/commands.ts'
import { scriptJudge } from '../../../src/host/debian/mail/scripts.ts'
import { systemFile } from '../../../src/host/spec.ts'
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
    const judge = scriptJudge(run)
    const good = staged('require ["vacation"];\nvacation "x";\n')
    await judge(good)
    expect(existsSync(`${good.staged}.svbin`)).toBe(false)
    await expect(judge(staged('vacation "x";\n'))).rejects.toMatchObject({ stage: 'precheck' })
  },
)

test('identical scripts are compiled once, and refused ones are checked again', async () => {
  const judged: string[] = []
  let isBad = false
  const judge = scriptJudge(async (_, [script]) => {
    judged.push(basename(dirname(dirname(script!))))
    return isBad ? Promise.reject(new Error('line 1')) : ''
  })
  const [one, same, other] = [staged('keep;'), staged('keep;'), staged('stop;')]
  await judge(one)
  await judge(same)
  isBad = true
  await expect(judge(other)).rejects.toThrow('line 1')
  isBad = false
  await judge(other)
  expect(judged).toEqual([one, other, other].map((file) => basename(dirname(dirname(file.staged)))))
})
