import { defineVerb } from '../../cli/verb.ts'
import { one } from '../../output/result.ts'
import { approvalView } from '../../views/plan.ts'

export const approve = defineVerb({
  description:
    'Show a plan, ask how many contacts or tickets it changes, and sign it with your SSH key, which may be in the agent or on\n' +
    'hardware. --yes does not answer that question. The signature is written next to the plan. No request is sent.',
  examples: ['svc plans approve old.plan', 'svc plans approve old.plan --key ben.pub'],
  arguments: [
    { name: 'plan', takes: 'file', summary: 'the file that --plan wrote', isRequired: true },
  ],
  options: {
    key: {
      value: 'file',
      takes: 'file',
      summary: 'your private key, or its public half if the agent has it',
      default: 'as ssh looks for it',
    },
  },
  effect: 'local',
  shows: approvalView,
  run: async (context, [path], options) => {
    const { approvePlan } = await import('../../plans/approve.ts')
    return one(await approvePlan(context, path, options.key))
  },
})
