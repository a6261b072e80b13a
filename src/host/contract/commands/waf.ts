import { FIRST_WAF_RULE, LAST_WAF_RULE, MAX_WAF_PAGE } from '../../../shared/waf.ts'
import { command } from '../command.ts'
import { complete, type Output, object, optional, patterns, text } from '../fields.ts'
import { isPage } from '../page.ts'
import * as shape from '../shape.ts'
import { anyCount } from './names.ts'

export const MAX_HIT_PATH = 512
export const MAX_HIT_MESSAGE = 200

const query = object(
  {
    /** The domain. */
    site: text(patterns.id),
    rule: optional(complete(FIRST_WAF_RULE, LAST_WAF_RULE)),
    limit: complete(1, MAX_WAF_PAGE),
    /** Rows before this one, which is newer. */
    after: optional(anyCount),
  },
  'wafHits',
)
export type WafQuery = Output<typeof query>

type Place = Pick<WafHit, 'n'>
const isNewer = (one: Place, other: Place): boolean => one.n > other.n

const hit = shape.fields({
  /** Its number on the host. */
  n: shape.upTo(shape.MAX_PLACE),
  at: shape.moment,
  address: shape.plain(64),
  path: shape.plain(MAX_HIT_PATH),
  rule: shape.upTo(LAST_WAF_RULE),
  message: shape.plain(MAX_HIT_MESSAGE),
  action: shape.oneOf('blocked', 'watched'),
})
export type WafHit = Output<typeof hit>

export const wafCommands = {
  /** What the firewall found at a site, the newest first. */
  wafHits: command({
    input: query,
    result: shape.fields({ items: shape.list(hit, MAX_WAF_PAGE), more: shape.flag }),
    fits: ({ limit, after }, page) =>
      isPage<Place>(page, { limit, ...(after !== undefined && { after: { n: after } }) }, isNewer),
  }),
}
