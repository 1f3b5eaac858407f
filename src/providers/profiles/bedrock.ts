/** AWS Bedrock, with the credentials of the AWS account. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const bedrock: ProviderProfile = {
  id: 'bedrock',
  name: 'AWS Bedrock',
  aliases: ['aws', 'aws-bedrock', 'amazon-bedrock', 'amazon'],
  apiMode: 'bedrock_converse',
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  baseUrlVariable: 'BEDROCK_BASE_URL',
  cloudBaseUrl: ({ awsRegion = 'us-east-1' }) => `https://bedrock-runtime.${awsRegion}.amazonaws.com`,
  keyVariables: [],
  auth: 'aws',
  modelsDev: ['amazon-bedrock'],
  defaultModel: 'us.anthropic.claude-sonnet-4-6',
  models: ['us.anthropic.claude-sonnet-4-6', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', 'amazon.nova-pro-v1:0'],
  modelsUrl: null,
};
