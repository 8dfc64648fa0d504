import { startBulk } from '../../cli/start-bulk.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import { applyOptions } from '../../cli/bulk-options.ts'
import { assignOutcomeView } from '../../views/bulk.ts'

export const apply = defineVerb({
  description:
    'Apply a plan: exactly what it says, once in a state folder. The same command resumes it, or sends nothing when it is\n' +
    'done, also after its record was pruned: to do it again, write a new plan. A plan that is damaged, has expired or is for\n' +
    'another service is exit 6; one that lacks approvals which a policy wants is exit 5.',
  examples: ['svc plans apply old.plan --yes', 'svc plans apply old.plan --approval ben.sig --yes'],
  arguments: [
    { name: 'plan', takes: 'file', summary: 'the file that --plan wrote', isRequired: true },
  ],
  options: {
    ...applyOptions,
    approval: {
      value: 'signature',
      takes: 'file',
      summary: 'a signature that is not next to the plan',
      isRepeatable: true,
    },
  },
  effect: 'from input',
  isDestructive: true,
  isIdempotent: true,
  shows: { ...assignOutcomeView, schema: schemaOf('Summary') },
  run: async (context, [path], options) => {
    const [{ readPlan, noteUnreadSignatures }, { applyStart }] = await Promise.all([
      import('../../plans/plan-place.ts'),
      import('../../plans/apply.ts'),
    ])
    const found = readPlan(context.host, path, options.approval)
    noteUnreadSignatures(context, found)
    return startBulk(context, await applyStart(context, found, options))
  },
})
