import { whenVisible } from './enhance.ts'

const format = new Intl.DateTimeFormat(document.documentElement.lang || 'en', {
  dateStyle: 'medium',
  timeStyle: 'short',
})

const clock = new Intl.DateTimeFormat([], { timeStyle: 'medium', hourCycle: 'h23' })

/** Shows times in the browser's zone; the server renders them in UTC. */
export function times(): void {
  whenVisible((root) => {
    for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime*="T"]:not([data-local])')) {
      const moment = new Date(time.dateTime)
      const local = format.format(moment)
      time.title = `${local} · ${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
      time.dataset['local'] = ''
      if ('clock' in time.dataset) time.textContent = clock.format(moment)
      else if (!('relative' in time.dataset)) time.textContent = local
    }
  })
}
