/** Options of the commands that start a sandbox. */
import type { Context } from '../../../cli/context.ts'
import { SvcError } from '../../../errors.ts'
import { done } from '../../../output/result.ts'
import { runInside, type ChildProgram, type SandboxPlace } from '../place.ts'
import type { SandboxOptions } from '../transport.ts'
import { parseCount, parseDuration } from '../../../values.ts'
import { quote } from '../../../words.ts'
import { defineOptions } from '../../../options.ts'

export const sandboxOptions = defineOptions({
  seed: {
    value: 'n',
    summary: 'which data to generate; the same number gives the same data',
    default: '1',
    parse: (text, what) => parseCount(text, what, { max: 2 ** 31 - 1 }),
  },
  latency: {
    value: 'duration',
    summary: 'wait before every answer',
    parse: parseDuration,
  },
  faults: {
    value: 'rule',
    summary: 'fail on purpose, as in contacts.delete:2=503 (svc help faults)',
    isRepeatable: true,
  },
})

interface Given extends Pick<SandboxOptions, 'seed' | 'latency'> {
  faults: readonly string[]
}

/** The typed options as `startSandbox` takes them. */
export function startOptionsOf<T extends Given>({ faults, ...given }: T) {
  return { ...given, faults: faults.join(' ') }
}

/** Runs a program in a sandbox of its own, which a first signal lets end. `isTold`: notes say when it starts and when it has stopped. */
export function runInSandbox(
  context: Context,
  options: Given,
  isTold: boolean,
  programIn: (place: SandboxPlace) => ChildProgram,
) {
  const { host, note, signals } = context
  return signals.runCritical(async () => {
    const exitCode = await runInside(host, startOptionsOf(options), (place) => {
      if (isTold) note(`svc uses a new sandbox at ${place.baseUrl} until this command ends`)
      return programIn(place)
    })
    if (isTold) note(`the sandbox has stopped; ${await whereNext(context)}`)
    return done(exitCode)
  })
}

/** Where commands go now, outside of the sandbox: a person could take the next prompt for its own. */
async function whereNext(context: Context) {
  try {
    const { name } = await context.profile()
    const place = name === undefined ? 'the service of the environment' : quote(name)
    return `commands now go to ${place} again`
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return 'commands have no profile now'
  }
}
