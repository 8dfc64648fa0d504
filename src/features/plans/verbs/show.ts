import { limitOption } from '../../../cli/global-options.ts'
import { defineVerb } from '../../../cli/verb.ts'
import { exit } from '../../../errors.ts'
import { operationOf } from '../../../runs/operations/operations.ts'
import { document } from '../../../output/result.ts'
import { plannedColumns, planView } from '../view.ts'

export const verb = defineVerb({
  description:
    'Show what a plan would do: on which service, to how many, who planned it and ' +
    'why, when it expires, its SHA-256, and whether it was applied in this state ' +
    'folder. Then show every contact or ticket; --who adds the names and lists that ' +
    'the service has. A damaged or expired plan is exit 6.',
  examples: [
    'svc plans show old.plan',
    'svc plans show old.plan --limit all',
    'svc plans show old.plan --who --out review.xlsx',
  ],
  arguments: [
    {
      name: 'plan',
      takes: 'file',
      summary: 'the file that --plan wrote',
      isRequired: true,
    },
  ],
  options: {
    ...limitOption,
    who: { summary: 'read names and lists of contacts from the service' },
  },
  effect: 'reads',
  shows: planView(async () => (await import('../describe.ts')).ShownPlan),
  run: async (context, [path], { who }) => {
    const [{ readPlan }, { describePlan, itemsOf, namedItems }] = await Promise.all([
      import('../plan-file.ts'),
      import('../describe.ts'),
    ])
    const plan = readPlan(context.host, path)
    const { title, facts, isExpired, document: shown } = await describePlan(context, plan)
    const { item, pairs } = operationOf(shown.operation)
    // Tickets have no names.
    const hasNames = who === true && item === 'contact'
    const rows = hasNames ? await namedItems(context, plan) : itemsOf(plan)
    return {
      ...document(shown, rows, isExpired ? exit.rejected : exit.done),
      columns: plannedColumns(
        plan.items.kind === 'pairs' ? pairs?.columns : undefined,
        hasNames,
      ),
      details: { Plan: title, ...Object.fromEntries(facts) },
      what: `${item}s`,
    }
  },
})
