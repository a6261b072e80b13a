import { createLog } from '../../src/server/log.ts'

const log = createLog('info')
const [how] = process.argv.slice(2)
const say = (lines: number): void => {
  for (let place = 0; place < lines; place++) log.info({}, `line ${place}`)
}

if (how === 'when-told') {
  const awake = setInterval(() => {}, 1000)
  process.once('SIGUSR2', () => {
    clearInterval(awake)
    say(5000)
    process.exit(7)
  })
  process.stdout.write('ready')
} else {
  say(1000)
  if (how === 'exit') process.exit(0)
  if (how === 'throw') throw new Error('a fault')
}
