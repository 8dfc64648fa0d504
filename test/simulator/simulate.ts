/** Simulates worlds, one seed after the other, and tells of each claim that was false how to see it again. */
import { simulate, type Episode } from './episode.ts'
import { shrink } from './shrink.ts'

const hour = 3_600_000

/** As they are typed; `simulate.mjs --help` tells what they are. */
interface Options {
  readonly seed: number
  readonly hours?: string
  readonly commands?: string
  readonly seconds?: string
  readonly steps?: string
  readonly keep?: string
  readonly log: boolean
  readonly bail: boolean
  readonly shrink: boolean
}

function tell({ violations, seed, stage }: Episode, isLogged: boolean): void {
  const { processes } = stage.world
  const commands = processes.map(({ number, argv, machine, startedAt, end, stdout, stderr }) => {
    const began = `${new Date(startedAt).toISOString()} ${machine.name}`
    const ending = end === 'killed' ? end : `exit ${end?.code}`
    const command = `  ${number} ${began}: svc ${argv.join(' ')} -> ${ending}`
    return isLogged ? `${command}\n${`${stdout}${stderr}`.trimEnd()}` : command
  })
  if (isLogged) console.log(commands.join('\n'))
  for (const { what, process } of violations) {
    const by = process === undefined ? '' : `, process ${process.number}`
    console.log(`FALSE seed ${seed}${by}: ${what}`)
  }
  if (!isLogged && violations.length > 0) console.log(commands.join('\n'))
}

/** Returns how many claims were false. */
export async function simulateWorlds(options: Options): Promise<number> {
  const only = options.steps?.split(',')
  const keep = options.keep?.split(',').map(Number)
  const most = {
    hours: Number(options.hours ?? (options.commands === undefined ? 1 : Infinity)),
    commands: Number(options.commands ?? Infinity),
    seconds: Number(options.seconds ?? Infinity),
  }
  const perWorld = Math.min(1, most.hours)
  const againBy = (seed: number, numbers: readonly number[] | undefined = keep): string => {
    const words = [
      ...(only === undefined ? [] : ['--steps', only]),
      ...(numbers === undefined ? [] : ['--keep', numbers]),
    ]
    return `again: npm run simulate -- --seed ${seed} --hours ${perWorld} ${words.join(' ')} --log`
  }

  const total = { seeds: 0, hours: 0, commands: 0, claims: 0, false: 0 }
  const begun = process.hrtime.bigint()
  const spent = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6
  const isOver = (): boolean => spent() >= most.seconds || (options.bail && total.false > 0)
  while (total.hours < most.hours && total.commands < most.commands && !isOver()) {
    const episode = await simulate(options.seed + total.seeds, perWorld, only, keep)
    total.seeds += 1
    total.hours += episode.duration / hour
    total.commands += episode.commands
    total.claims += episode.claims
    total.false += episode.violations.length
    tell(episode, options.log)
    if (episode.violations.length > 0) console.log(againBy(episode.seed))
    if (options.shrink && episode.violations.length > 0)
      console.log(`shrunk, ${againBy(episode.seed, await shrink(episode, perWorld, only))}`)
  }
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9
  const [hours, last] = [total.hours.toFixed(1), options.seed + total.seeds - 1]
  console.log(
    `seeds ${options.seed} to ${last}: ${hours} hours, ${total.commands} commands, ${total.claims} claims, ${total.false} false`,
  )
  const rates = [total.commands, total.claims].map((count) => Math.round(count / seconds))
  console.error(`in ${spent().toFixed(1)} s`)
  console.error(`${rates[0]} commands and ${rates[1]} claims a second`)
  return total.false
}
