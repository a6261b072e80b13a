import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/host/debian/commands.ts'
import { checkScript } from '../../../src/host/debian/mail/scripts.ts'
import { tempDir } from '../../host/helpers.ts'

const path = 'etc/panel/mail/sieve.d/bob/x.sieve'

function staged(text: string) {
  const folder = join(tempDir(), 'sieve')
  mkdirSync(folder)
  writeFileSync(join(folder, '.x.sieve.panel-new'), text)
  return { path, staged: join(folder, '.x.sieve.panel-new'), file: {} as never }
}

test.skipIf(!existsSync('/usr/bin/sievec'))(
  'a script is compiled before it is installed, and one that is none is refused',
  async () => {
    const good = staged('require ["vacation"];\nvacation "x";\n')
    await checkScript(run, good)
    expect(existsSync(`${good.staged}.svbin`)).toBe(false)
    await expect(checkScript(run, staged('vacation "x";\n'))).rejects.toMatchObject({ stage: 'precheck' })
    await checkScript(run, { ...staged('nothing of it'), path: 'etc/panel/users.d/bob' })
  },
)
