// plans/ says what each plan allows, as data.

/** The limits of a plan. With a custom plan, each key has its own. */
export interface Limits {
  /** Requests in 60 seconds. */
  readonly perMinute: number;
  /** Requests in a UTC calendar day. */
  readonly perDay: number;
}

/** What a plan allows. */
export type PlanRules = (Limits | { readonly perMinute: 'custom'; readonly perDay: 'custom' }) & {
  /** How many webhooks a key may have. */
  readonly webhooks: number;
};

/** Augmented by a service with the names of its plans, so that `Record<Plan, …>` must have them all. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- a service gives it members
export interface ServicePlans {}

/** The name of a plan: any text, unless the service has augmented {@link ServicePlans}. */
export type Plan = [keyof ServicePlans] extends [never] ? string : keyof ServicePlans;

export type Plans = Readonly<Record<string, PlanRules>>;

let plans: ReadonlyMap<string, PlanRules> | undefined;

/** Says which plans the service of this process has, in the order of its documents. */
export function offerPlans(given: Plans): void {
  plans = new Map(Object.entries(given));
}

function all(): ReadonlyMap<string, PlanRules> {
  if (!plans) throw new Error('No service has been defined: call defineService() first.');
  return plans;
}

export const planNames = (): Plan[] => [...all().keys()] as Plan[];

export const planEntries = (): [name: string, rules: PlanRules][] => [...all()];

/** @returns undefined for a plan that this process does not have, such as one of a newer version */
export const rulesOf = (plan: string): PlanRules | undefined => all().get(plan);

/** Whether each key of the plan has limits of its own. */
export const isCustom = (plan: string): boolean => rulesOf(plan)?.perMinute === 'custom';
