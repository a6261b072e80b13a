import type { Answered, FileInput } from '../../contract/commands/files.ts'
import { readDirectives } from '../htaccess/directives.ts'
import { type PhpSetting, perDirectory } from '../htaccess/evaluate.ts'
import type { Directory } from './directory.ts'
import { eachHtaccess } from './htaccess.ts'
import { partsOf } from './path.ts'
import { readSmall, writeSmall } from './small.ts'
import type { Home } from './walk.ts'

const iniName = Buffer.from('.user.ini')
const begin = '; BEGIN panel: php_value and php_flag of .htaccess'
const end = '; END panel'

/** Passes on to PHP what a site's `.htaccess` files set, in a marked part of the `.user.ini` beside each. */
export async function userIni(home: Home, { root, apply }: FileInput<'userIni'>): Promise<Answered<'userIni'>> {
  let files = 0
  await eachHtaccess(home, partsOf(root), async ({ directory, text }) => {
    const settings = apply && text !== undefined ? settingsIn(text) : []
    if (await update(directory, settings)) files += 1
  })
  return { files }
}

/** The last of each name, as in Apache. */
function settingsIn(text: string): PhpSetting[] {
  const all = readDirectives(text).flatMap((one) => perDirectory(one) ?? [])
  return [...new Map(all.map((one) => [one.name.toLowerCase(), one])).values()]
}

/** Whether it changed the file. What is not a small file of text stays as it is. */
async function update(directory: Directory, settings: readonly PhpSetting[]): Promise<boolean> {
  const isThere = (await directory.find(iniName)) !== undefined
  const former = await readSmall(directory, iniName)
  // As text in another encoding it would be changed.
  if (isThere ? former === undefined || former.includes('\uFFFD') : settings.length === 0) return false
  const text = withPart(former ?? '', settings)
  if (text === former) return false
  if (text === '') await directory.unlink(iniName)
  else await writeSmall(directory, iniName, text)
  return true
}

function withPart(former: string, settings: readonly PhpSetting[]): string {
  const from = former.indexOf(begin)
  const to = from < 0 ? -1 : former.indexOf(end, from)
  const others = from < 0 ? former : former.slice(0, from) + (to < 0 ? '' : former.slice(to + end.length + 1))
  if (settings.length === 0) return others
  const lines = [begin, ...settings.map(({ name, value }) => `${name} = ${quoted(value)}`), end, '']
  return `${others}${others === '' || others.endsWith('\n') ? '' : '\n'}${lines.join('\n')}`
}

/** Text of a directive has one character for each byte, and no line ends. */
const quoted = (value: string): string =>
  `"${Buffer.from(value, 'latin1').toString('utf8').replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
