import { defineVerb } from '../../cli/verb.ts'
import { exit } from '../../errors.ts'
import { operationOf } from '../../bulk/operations/operations.ts'
import { limitOption } from '../../cli/global-options.ts'
import { document } from '../../output/result.ts'
import { plannedColumns, planView } from '../../views/plan.ts'

export const show = defineVerb({
  description:
    'Show what a plan would do, on which service, to how many, who planned it and why, when it expires, who signed it,\n' +
    'and when it was applied in this state folder and how that ended; then every contact or ticket, with names and lists\n' +
    'when it was planned with --who and the file with the names is there. --file adds the columns of the table that the\n' +
    'plan was made of, to compare whom it names with whom the service knows. A plan that is damaged or has expired is exit 6.',
  examples: [
    'svc plans show old.plan',
    'svc plans show old.plan --limit all',
    'svc plans show old.plan --file ids.txt --out old-review.xlsx',
  ],
  arguments: [
    { name: 'plan', takes: 'file', summary: 'the file that --plan wrote', isRequired: true },
  ],
  options: {
    ...limitOption,
    file: {
      value: 'path',
      takes: 'file',
      summary: 'the input of the plan: its columns stand beside the people',
    },
  },
  effect: 'reads',
  shows: planView(async () => (await import('../../plans/describe.ts')).ShownPlan),
  run: async (context, [path], { file }) => {
    const [{ readPlan, noteUnreadSignatures }, { describePlan }] = await Promise.all([
      import('../../plans/plan-place.ts'),
      import('../../plans/describe.ts'),
    ])
    const planFile = readPlan(context.host, path)
    noteUnreadSignatures(context, planFile)
    const {
      title,
      isExpired,
      facts,
      document: shown,
      rows,
      problem,
    } = await describePlan(context, planFile)
    if (problem !== undefined) context.note(problem)
    const { items } = operationOf(shown.operation)
    const planned = planFile.plan.document
    const people = {
      rows,
      columns: plannedColumns(items.kind, planned.pairs && items.pairs?.columns),
    }
    const { addInputColumns } = await import('../../plans/input-columns.ts')
    const table =
      file === undefined ? people : await addInputColumns(context.host, planned, file, people)
    return {
      ...document(shown, table.rows, isExpired ? exit.rejected : exit.done),
      columns: table.columns,
      details: { Plan: title, ...Object.fromEntries(facts) },
      what: `${items.kind}s`,
    }
  },
})
