/** Where services are asked that may also be elsewhere. */
export const usualTavily = 'https://api.tavily.com';
export const usualFirecrawl = 'https://api.firecrawl.dev';
