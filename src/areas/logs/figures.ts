import type * as declared from '../../contract/logs.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { day as oneDay } from '../../shared/time.ts'
import { daysIn, eachDay } from './days.ts'
import { historyOf } from './history.ts'
import { domainIn } from './of-domain.ts'
import { merged } from './top.ts'
import { trafficIn } from './traffic.ts'
import { visitsIn } from './visitors.ts'

const TOP_SIZE = 20
/** Hourly figures are kept this long. */
const MAX_HOURLY_DAYS = 31

const getVisitors: Handler<typeof declared.getVisitors> = {
  handle(ctx, { query }) {
    const domain = domainIn(ctx, query.domain_id)
    const days = daysIn(query, ctx.now)
    const rows = visitsIn(ctx.db, domain.id, days)
    const byDay = new Map(rows.map((row) => [row.day, row]))
    const top = merged(
      rows.map((row) => row.top),
      TOP_SIZE,
    )
    return {
      items: eachDay(days, rows, ctx.now).map((day) => {
        const { requests = 0, visitors = 0, bytes = 0, bots = 0 } = byDay.get(day) ?? {}
        return { day, requests, visitors, bytes, bots }
      }),
      top: {
        paths: top.paths.map(([path, requests]) => ({ path, requests })),
        referrers: top.referrers.map(([referrer, requests]) => ({ referrer, requests })),
        statuses: top.statuses.map(([status, requests]) => ({ status, requests })),
      },
    }
  },
}

const nothing = { web_in: 0, web_out: 0, ftp: 0, mail: 0 }

const getBandwidth: Handler<typeof declared.getBandwidth> = {
  handle(ctx, { query }) {
    const days = daysIn(query, ctx.now)
    const rows = trafficIn(ctx.db, ctx.found.account.id, days)
    const byDay = new Map(rows.map(({ account_id: _, day, ...amounts }) => [day, amounts]))
    const total = { ...nothing, all: 0 }
    for (const { web_in, web_out, ftp, mail } of rows) {
      total.web_in += web_in
      total.web_out += web_out
      total.ftp += ftp
      total.mail += mail
      total.all += web_in + web_out + ftp + mail
    }
    return { items: eachDay(days, rows, ctx.now).map((day) => ({ day, ...nothing, ...byDay.get(day) })), total }
  },
}

const getUsageHistory: Handler<typeof declared.getUsageHistory> = {
  handle(ctx, { query: { step, ...query } }) {
    const days = daysIn(query, ctx.now, ...(step === 'hour' ? [MAX_HOURLY_DAYS] : []))
    const series = { account_id: ctx.found.account.id, step }
    const points = historyOf(ctx.db, series, Date.parse(days.from), Date.parse(days.to) + oneDay - 1)
    return {
      items: points.map(({ at, disk_mb, inodes, cpu_ms, memory_mb }) => ({
        at,
        disk_mb,
        inodes,
        ...present({ cpu_s: cpu_ms === null ? null : Math.round(cpu_ms / 1000), memory_mb }),
      })),
    }
  },
}

export const figureOperations = { getVisitors, getBandwidth, getUsageHistory }
