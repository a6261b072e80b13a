import type { WafHits } from '../../waf/hits.ts'

const READ_INTERVAL_MS = 5_000
const REPORT_INTERVAL_MS = 3_600_000

/** Empties the firewall's log into its rows; an error is reported once an hour, as it is likely to stay. */
export function followHits(hits: WafHits): void {
  let reported = 0
  const read = () =>
    hits.read().catch(({ message }: Error) => {
      if (Date.now() - reported < REPORT_INTERVAL_MS) return
      reported = Date.now()
      process.stderr.write(`error: the log of the web application firewall could not be read: ${message}\n`)
    })
  setInterval(() => void read(), READ_INTERVAL_MS).unref()
}
