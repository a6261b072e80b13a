import type { SourceHtaccess } from '../contract/commands/imports.ts'
import { type Directive, readDirectives } from '../homes/htaccess/directives.ts'
import { isPermalinkLine, kindOf } from '../homes/htaccess/evaluate.ts'

const kinds: readonly (readonly [string, RegExp])[] = [
  [
    'access rules',
    /^(?:deny|allow|order|require|satisfy|<limit|<files|<filesmatch|<requireall|<requireany|<requirenone)\b/i,
  ],
  ['passwords', /^(?:auth\w+)\b/i],
  ['redirects', /^(?:redirect\w*)\b/i],
  ['rewrites', /^rewrite\w+\b/i],
  ['PHP settings', /^(?:php_\w+|<ifmodule (?:mod_php|php)\w*)/i],
  ['handlers', /^(?:addhandler|sethandler|addtype|action|removehandler)\b/i],
  ['headers and caching', /^(?:header|expires\w*|fileetag|addoutputfilter\w*|setoutputfilter|setenvif\w*|setenv)\b/i],
  ['error pages', /^errordocument\b/i],
  ['listings', /^(?:options|indexoptions|directoryindex)\b/i],
]

const isRefused = ({ name, args }: Directive): boolean =>
  /^redirect(?:match)?$/i.test(name) && /^(?:4\d\d|gone)\b/i.test(args)

/** WordPress's own block, as it writes it for a site at `/`: for others nginx has another front controller. */
const isPermalink = (one: Directive): boolean =>
  isPermalinkLine(one) && one.sections.every(({ name, args }) => name === 'ifmodule' && /^mod_rewrite\.c$/i.test(args))

/** A directive as it is written, and the sections around it. */
const linesOf = ({ name, args, sections }: Directive): string[] => [
  `${name} ${args}`,
  ...sections.map((one) => `<${one.name} ${one.args}`),
]

/** A file that is not read may protect its directory. */
export const unreadHtaccess = (file: string, why: string): SourceHtaccess => ({
  file,
  does: [`${why}, and was not read`],
  hasAccess: true,
  isPermalinks: false,
})

/** Says what the file of this name does, without running it. */
export function readHtaccess(file: string, text: string): SourceHtaccess {
  const all = readDirectives(Buffer.from(text.replace(/^\uFEFF/, '')).toString('latin1'))
  const lines = all.flatMap(linesOf)
  const does = kinds.filter(([, shape]) => lines.some((line) => shape.test(line))).map(([name]) => name)
  const isPermalinks = all.length > 0 && all.every(isPermalink)
  const isRest = all.length > 0 && does.length === 0
  const php = lines
    .map((line) => /^(?:AddHandler|SetHandler|AddType) .*(?:ea|alt)-php(\d)(\d)/i.exec(line))
    .find(Boolean)
  return {
    file,
    does: isPermalinks ? ['permalinks'] : isRest ? ['other directives'] : does,
    hasAccess:
      does.includes('access rules') ||
      does.includes('passwords') ||
      all.some((one) => kindOf(one) === 'access' || isRefused(one)),
    isPermalinks,
    ...(php && { php: `${php[1]}.${php[2]}` }),
  }
}
