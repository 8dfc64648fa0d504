/** `npm run simulate`: simulates worlds, one seed after the other, and tells of each claim that was false how to see it again. */
import { parseArgs } from 'node:util'
import { simulate, type Episode } from './episode.ts'
import { shrink } from './shrink.ts'

const hour = 3_600_000
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    hours: { type: 'string' },
    commands: { type: 'string' },
    log: { type: 'boolean', default: false },
    bail: { type: 'boolean', default: false },
    seconds: { type: 'string', default: 'Infinity' },
    steps: { type: 'string' },
    keep: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    plant: { type: 'string' },
  },
})
const first = Number(values.seed)
const only = values.steps?.split(',')
const keep = values.keep?.split(',').map(Number)
const most = {
  hours: Number(values.hours ?? (values.commands === undefined ? 1 : Infinity)),
  commands: Number(values.commands ?? Infinity),
}
const perWorld = Math.min(1, most.hours)

const againBy = (seed: number, numbers: readonly number[] | undefined = keep): string => {
  const words = [
    ...(only === undefined ? [] : ['--steps', only]),
    ...(numbers === undefined ? [] : ['--keep', numbers]),
  ]
  return `again: npm run simulate -- --seed ${seed} --hours ${perWorld} ${words.join(' ')} --log`
}

function tell({ seed, violations, stage }: Episode): void {
  const { processes } = stage.world
  const command = ({ number, argv, machine, startedAt, end }: (typeof processes)[number]): string =>
    `  ${number} ${new Date(startedAt).toISOString()} ${machine.name}: svc ${argv.join(' ')} -> ${end === 'killed' ? end : `exit ${end?.code}`}`
  if (values.log) {
    for (const process of processes) {
      console.log(command(process))
      console.log(`${process.stdout}${process.stderr}`.trimEnd())
    }
  }
  for (const { what, process } of violations)
    console.log(
      `FALSE seed ${seed}${process === undefined ? '' : `, process ${process.number}`}: ${what}`,
    )
  if (violations.length > 0) {
    if (!values.log) console.log(processes.map(command).join('\n'))
    console.log(againBy(seed))
  }
}

const total = { seeds: 0, hours: 0, commands: 0, claims: 0, false: 0 }
const begun = process.hrtime.bigint()
const spent = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6
const isOver = (): boolean => spent() >= Number(values.seconds) || (values.bail && total.false > 0)
while (total.hours < most.hours && total.commands < most.commands && !isOver()) {
  const episode = await simulate(first + total.seeds, perWorld, only, keep)
  total.seeds += 1
  total.hours += episode.duration / hour
  total.commands += episode.commands
  total.claims += episode.claims
  total.false += episode.violations.length
  tell(episode)
  if (values.shrink && episode.violations.length > 0)
    console.log(`shrunk, ${againBy(episode.seed, await shrink(episode, perWorld, only))}`)
}
const seconds = Number(process.hrtime.bigint() - begun) / 1e9
const [hours, last] = [total.hours.toFixed(1), first + total.seeds - 1]
console.log(
  `seeds ${first} to ${last}: ${hours} hours, ${total.commands} commands, ${total.claims} claims, ${total.false} false`,
)
const rates = [total.commands, total.claims].map((count) => Math.round(count / seconds))
console.error(`in ${spent().toFixed(1)} s`)
console.error(`${rates[0]} commands and ${rates[1]} claims a second`)
process.exitCode = total.false === 0 ? 0 : 1
