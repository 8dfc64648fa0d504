import { startBulk } from '../../../cli/bulk-command.ts'
import { anyRunView, applyOptions } from '../../../cli/bulk-verb.ts'
import { defineVerb } from '../../../cli/verb.ts'
import { usageError } from '../../../errors.ts'

export const verb = defineVerb({
  description:
    'Apply exactly what a plan says, once per state folder. The same command resumes ' +
    'it, or sends nothing when it is done. A plan is ' +
    'refused with exit code 6 if it is damaged, has expired, is for another service or ' +
    'does not match --sha256.',
  examples: [
    'svc plans apply old.plan --yes',
    'svc plans apply old.plan --receipts out.csv --yes',
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
    sha256: {
      value: 'digest',
      summary: 'refuse every file but the one with this SHA-256',
      parse: parseDigest,
    },
    ...applyOptions,
  },
  effect: 'from input',
  shows: anyRunView,
  run: async (context, [path], options) => {
    const { readPlan, jobOfPlan } = await import('../plan-file.ts')
    const plan = readPlan(context.host, path)
    const job = await jobOfPlan(context, plan, options)
    return startBulk(context, { kind: 'job', job })
  },
})

/** Throws exit 2 for a text that is not a digest. */
function parseDigest(text: string) {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw usageError(`--sha256 takes 64 hexadecimal digits, not "${text}"`)
}
