import type { RunReference } from '../../bulk/runs/find-run.ts'
import type { Context } from '../../cli/verb.ts'
import { recentOrDated } from '../../output/text/time.ts'
import { grouped } from '../../words.ts'
import { shortOperation } from '../../resources/run.ts'
import { rowOf } from './reading.ts'

/**
 * The run as it was typed, or as it was chosen among those of this service; undefined with --last, and where nobody can be asked.
 * `unfinished`: those that resuming would work on.
 */
export async function typedRun(
  context: Context,
  typed: string | undefined,
  { last = false }: { readonly last?: boolean | undefined },
  unfinished = false,
): Promise<RunReference> {
  if (typed !== undefined || last) return { run: typed, last }
  const question = unfinished ? 'Which run should be resumed?' : 'Which run?'
  return { run: await context.choose(question, () => choices(context, unfinished)), last }
}

async function choices(context: Context, unfinished: boolean) {
  const [{ listRuns }, { noRun }] = await Promise.all([
    import('../../bulk/runs/store.ts'),
    import('../../bulk/runs/find-run.ts'),
  ])
  const configuration = await context.configuration()
  const { baseUrl } = configuration.profile()
  const all = await listRuns(context.host, configuration.stateDir.value)
  const found = all.flatMap((listed) => {
    const { id, run, end, holder } = listed
    if (run?.baseUrl !== baseUrl || (unfinished && (holder !== undefined || end?.left === 0))) return []
    const { name, operation, target, status, left } = rowOf(listed)
    const what = [
      recentOrDated(listed.beganAt, context.host.now()),
      operation === null ? operation : shortOperation(operation),
      status,
      // A run that was killed said nothing at its end.
      left === null ? `up to ${grouped(run.items)} left` : `${grouped(left)} left`,
      target,
    ]
    return [{ value: id, name: name ?? id, detail: what.filter((word) => word !== null).join(', ') }]
  })
  if (found.length === 0) throw noRun(baseUrl, unfinished)
  return found
}
