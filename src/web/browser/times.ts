import { whenShown } from './enhance.ts'

const format = new Intl.DateTimeFormat(document.documentElement.lang || 'en', {
  dateStyle: 'medium',
  timeStyle: 'short',
})

/** Moments in the browser's zone; the server writes them in UTC. */
export function times(): void {
  whenShown((root) => {
    for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]:not([data-local])')) {
      const moment = new Date(time.dateTime)
      if (Number.isNaN(moment.getTime())) continue
      const local = format.format(moment)
      time.title = `${local} · ${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
      time.dataset['local'] = ''
      if (!('relative' in time.dataset)) time.textContent = local
    }
  })
}
