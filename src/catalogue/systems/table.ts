/** Every system of the table, by subject. */
import { ANALYSIS } from './analysis.ts';
import { CREDIT } from './credit.ts';
import { DATA } from './data.ts';
import { ENVIRONMENTS } from './environments.ts';
import { GUIDANCE } from './guidance.ts';
import { JUDGES } from './judges.ts';
import { OBJECTIVE } from './objective.ts';
import { REWARDS } from './rewards.ts';
import { SAMPLING } from './sampling.ts';
import type { System } from './system.ts';
import { VERIFIERS } from './verifiers.ts';

export const SUBJECTS: readonly { readonly title: string; readonly systems: readonly System[] }[] = [
  { title: 'Advantages and credit', systems: CREDIT },
  { title: 'Objectives, clips and penalties', systems: OBJECTIVE },
  { title: 'Sampling and search', systems: SAMPLING },
  { title: 'Problems, levels and mixtures', systems: DATA },
  { title: 'Rewards', systems: REWARDS },
  { title: 'Without a verifier, or with a weak one', systems: VERIFIERS },
  { title: 'Hints, references and self-distillation', systems: GUIDANCE },
  { title: 'Judges, self-verification and self-play', systems: JUDGES },
  { title: 'Environments, tools and programs', systems: ENVIRONMENTS },
  { title: 'Studies, benchmarks and other fields', systems: ANALYSIS },
];

export const SYSTEMS: readonly System[] = SUBJECTS.flatMap(({ systems }) => systems);
